import { COOKIE, type Fixture, http, startFixture } from './_fixture.ts';
import type { Answer } from './_raw.ts';

const ORIGIN = 'http://localhost:3000';
const SECOND = 'https://shop.example';

/** The CORS headers of a response. */
const cors = (headers: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => name.startsWith('access-control-'))
      .map(([name, value]) => [name.slice('access-control-'.length), value]),
  );
const preflight = (path: string, origin: string, ...more: string[]) =>
  http(`OPTIONS ${path}`, [`Origin: ${origin}`, 'Access-Control-Request-Method: PUT', ...more]);

describe('CORS with a list of origins and credentials', () => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await startFixture({
      cors: { allowedOrigins: [ORIGIN, SECOND] },
      limits: { bodyKib: 1 },
      bodyKib: { '/accounts': 1 },
    });
  });
  afterAll(() => fixture?.stop());
  beforeEach(() => fixture.clear());

  it.each(['/', '/health-check', '/accounts', '/auth/login', '/external/x', '/products/1', '/nothing'])(
    'answers a preflight of %s at the gateway, echoing the requested origin, method and headers',
    async (path) => {
      const response = await fixture.send(
        preflight(path, SECOND, 'Access-Control-Request-Headers: idempotency-key, x-a'),
      );
      expect(response.status).toBe(200);
      expect(cors(response.headers)).toMatchObject({
        'allow-origin': SECOND,
        'allow-credentials': 'true',
        'allow-methods': 'PUT',
        'allow-headers': 'idempotency-key, x-a',
        'max-age': '600',
      });
      expect(response.headers.vary).toBe('Origin');
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
  ])('does not allow the origin %s', async (origin) => {
    const preflighted = await fixture.send(preflight('/accounts', origin));
    const requested = await fixture.send(http('GET /accounts', [`Origin: ${origin}`, `Cookie: ${COOKIE}`]));
    for (const { headers } of [preflighted, requested]) {
      expect(headers).not.toHaveProperty('access-control-allow-origin');
      expect(headers.vary).toBe('Origin');
    }
  });

  it.each([
    ['200 of the gateway', 'GET /', [], 200],
    ['200 of a service', 'GET /accounts', [`Cookie: ${COOKIE}`], 200],
    ['401', 'GET /accounts', [], 401],
    ['404', 'GET /nothing', [`Cookie: ${COOKIE}`], 404],
    ['413', 'POST /accounts', [`Cookie: ${COOKIE}`, 'Content-Length: 1025'], 413],
    ['503', 'GET /external/x', [`Cookie: ${COOKIE}`], 503],
  ] as const)('adds its headers to a %s response', async (_, firstLine, lines, status) => {
    const response = await fixture.send(http(firstLine, [`Origin: ${ORIGIN}`, ...lines], 'x'.repeat(101)));
    expect(response.status).toBe(status);
    expect(cors(response.headers)).toMatchObject({ 'allow-origin': ORIGIN, 'allow-credentials': 'true' });
    expect(response.headers['access-control-expose-headers']).toContain('etag, idempotency-replayed, link, location');
    expect(response.headers.vary).toBe('Origin');
  });

  it('counts preflights for the rate limit, and adds its headers to a 429 response for an allowed origin only', async () => {
    const limited = await startFixture({
      cors: { allowedOrigins: [ORIGIN, SECOND] },
      limits: { requests: { perSecond: 1, burst: 1 } },
    });
    try {
      const refusals: Answer[] = [];
      const refusalOf = async (request: string) => {
        const answers = await Promise.all(Array.from({ length: 20 }, () => limited.send(request)));
        const refused = answers.filter(({ status }) => status === 429);
        expect(refused.length).toBeGreaterThan(10);
        refusals.push(...refused);
        return refused[0]?.headers ?? {};
      };
      const expected = {
        'allow-origin': SECOND,
        'allow-credentials': 'true',
        'expose-headers': expect.stringContaining('ratelimit-policy, retry-after'),
      };
      expect(cors(await refusalOf(preflight('/accounts', SECOND)))).toEqual(expected);
      expect(cors(await refusalOf(http('GET /accounts', [`Origin: ${SECOND}`])))).toEqual(expected);
      expect(cors(await refusalOf(preflight('/accounts', 'http://evil.test')))).toEqual({});
      expect(cors(await refusalOf(http('GET /accounts', ['Origin: http://evil.test'])))).toEqual({});
      expect(cors(await refusalOf(http('GET /accounts')))).toEqual({});
      for (const { headers } of refusals)
        expect(headers).toMatchObject({ vary: 'Origin', ratelimit: expect.any(String) });
    } finally {
      await limited.stop();
    }
  });

  it('adds only Vary to the response to a request without Origin', async () => {
    const { headers } = await fixture.send(http('GET /'));
    expect(cors(headers)).toEqual({});
    expect(headers.vary).toBe('Origin');
  });

  it("keeps a service's own Vary", async () => {
    fixture.services.account.answer('HTTP/1.1 200 OK\r\nvary: Accept-Encoding\r\ncontent-length: 0\r\n\r\n');
    const { headers } = await fixture.send(http('GET /accounts', [`Cookie: ${COOKIE}`]));
    expect(headers.vary?.split(/, ?/).sort()).toEqual(['Accept-Encoding', 'Origin']);
  });
});

test.each([
  ['an empty list', { allowedOrigins: [] }, undefined, undefined],
  ['* without credentials', { allowedOrigins: ['*'], allowedCredentials: false }, 'http://any.test', undefined],
  [
    'a listed origin without credentials',
    { allowedOrigins: ['http://any.test'], allowedCredentials: false },
    'http://any.test',
    undefined,
  ],
])('CORS headers follow the policy: %s', async (_, policy, origin, credentials) => {
  const fixture = await startFixture({ cors: policy });
  try {
    const preflighted = await fixture.send(preflight('/accounts', 'http://any.test'));
    const requested = await fixture.send(http('GET /', ['Origin: http://any.test']));
    expect([preflighted.status, requested.status]).toEqual([200, 200]);
    for (const { headers } of [preflighted, requested]) {
      expect(headers['access-control-allow-origin']).toBe(origin);
      if (origin) expect(headers['access-control-allow-credentials']).toBe(credentials);
    }
    expect(fixture.checks()).toEqual([]);
  } finally {
    await fixture?.stop();
  }
});
