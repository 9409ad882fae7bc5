import { COOKIE, type Fixture, http, startFixture } from './_fixture.ts';

const ORIGIN = 'http://localhost:3000';
const SECOND = 'https://shop.example';

/** The CORS headers of an answer. */
const cors = (headers: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => name.startsWith('access-control-'))
      .map(([name, value]) => [name.slice('access-control-'.length), value]),
  );
const preflight = (path: string, origin: string, ...more: string[]) =>
  http(`OPTIONS ${path}`, [`Origin: ${origin}`, 'Access-Control-Request-Method: PUT', ...more]);

describe('with a list of origins and credentials', () => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await startFixture({
      cors: { allowedOrigins: [ORIGIN, SECOND] },
      limits: { credentials: { perSecond: 1, burst: 1 }, bodyBytes: 100 },
    });
  });
  afterAll(() => fixture?.stop());
  beforeEach(() => fixture.clear());

  it.each(['/', '/health-check', '/accounts', '/auth/login', '/external/x', '/products/1', '/nothing'])(
    'a preflight of %s is answered by the gateway alone, echoing what is asked for',
    async (path) => {
      const answer = await fixture.send(
        preflight(path, SECOND, 'Access-Control-Request-Headers: idempotency-key, x-a'),
      );
      expect(answer.status).toBe(200);
      expect(cors(answer.headers)).toMatchObject({
        'allow-origin': SECOND,
        'allow-credentials': 'true',
        'allow-methods': 'PUT',
        'allow-headers': 'idempotency-key, x-a',
        'max-age': '600',
      });
      expect(answer.headers.vary).toBe('Origin');
      expect([...fixture.checks(), ...fixture.reached()]).toEqual([]);
    },
  );

  it.each([
    'http://evil.test',
    'null',
    'http://localhost:3001',
    'https://localhost:3000',
    'http://localhost:30000',
    'http://localhost:3000.evil.test',
    'http://LOCALHOST:3000',
    '*',
  ])('the origin %s is not allowed', async (origin) => {
    const asked = await fixture.send(preflight('/accounts', origin));
    const done = await fixture.send(http('GET /accounts', [`Origin: ${origin}`, `Cookie: ${COOKIE}`]));
    for (const { headers } of [asked, done]) {
      expect(headers).not.toHaveProperty('access-control-allow-origin');
      expect(headers.vary).toBe('Origin');
    }
  });

  it.each([
    ['200 of the gateway', 'GET /', [], 200],
    ['200 of a service', 'GET /accounts', [`Cookie: ${COOKIE}`], 200],
    ['401', 'GET /accounts', [], 401],
    ['404', 'GET /nothing', [`Cookie: ${COOKIE}`], 404],
    ['413', 'POST /accounts', [`Cookie: ${COOKIE}`, 'Content-Length: 101'], 413],
    ['503', 'GET /external/x', [`Cookie: ${COOKIE}`], 503],
  ] as const)('%s carries the policy', async (_, firstLine, lines, status) => {
    const answer = await fixture.send(http(firstLine, [`Origin: ${ORIGIN}`, ...lines], 'x'.repeat(101)));
    expect(answer.status).toBe(status);
    expect(cors(answer.headers)).toMatchObject({ 'allow-origin': ORIGIN, 'allow-credentials': 'true' });
    expect(answer.headers['access-control-expose-headers']).toContain('location');
    expect(answer.headers.vary).toBe('Origin');
  });

  it('429 carries the policy', async () => {
    const login = http('POST /auth/login', [`Origin: ${ORIGIN}`]);
    const answers = await Promise.all([fixture.send(login), fixture.send(login), fixture.send(login)]);
    const refused = answers.find(({ status }) => status === 429);
    expect(cors(refused?.headers ?? {})).toMatchObject({ 'allow-origin': ORIGIN });
  });

  it('without an Origin there is only Vary', async () => {
    const { headers } = await fixture.send(http('GET /'));
    expect(cors(headers)).toEqual({});
    expect(headers.vary).toBe('Origin');
  });

  it("a service's own Vary is kept", async () => {
    fixture.services.account.answer('HTTP/1.1 200 OK\r\nvary: Accept-Encoding\r\ncontent-length: 0\r\n\r\n');
    const { headers } = await fixture.send(http('GET /accounts', [`Cookie: ${COOKIE}`]));
    expect(headers.vary?.split(/, ?/).sort()).toEqual(['Accept-Encoding', 'Origin']);
  });
});

it.each([
  ['an empty list', { allowedOrigins: [] }, undefined, undefined],
  ['* without credentials', { allowedOrigins: ['*'], allowedCredentials: false }, 'http://any.test', undefined],
  ['no credentials', { allowedOrigins: ['http://any.test'], allowedCredentials: false }, 'http://any.test', undefined],
])('%s', async (_, policy, origin, credentials) => {
  const fixture = await startFixture({ cors: policy });
  try {
    const asked = await fixture.send(preflight('/accounts', 'http://any.test'));
    const done = await fixture.send(http('GET /', ['Origin: http://any.test']));
    expect([asked.status, done.status]).toEqual([200, 200]);
    for (const { headers } of [asked, done]) {
      expect(headers['access-control-allow-origin']).toBe(origin);
      if (origin) expect(headers['access-control-allow-credentials']).toBe(credentials);
    }
    expect(fixture.checks()).toEqual([]);
  } finally {
    await fixture?.stop();
  }
});
