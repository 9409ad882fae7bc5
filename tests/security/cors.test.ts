import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { renderGateway } from '../../tools/local/components/gateway.ts';
import { useFolder } from '../kit/folder.ts';
import { COOKIE, type Gateway, http, useGateway } from './_fixture.ts';

const ORIGIN = 'http://localhost:3000';
const SECOND = 'https://shop.example';
const EVIL = 'http://evil.test';

/** The CORS headers of an answer. */
const cors = (headers: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      const [, short] = /^access-control-(.*)/.exec(name) ?? [];
      return short ? [[short, value]] : [];
    }),
  );
const preflight = (path: string, origin: string, ...more: string[]) =>
  http(`OPTIONS ${path}`, [`Origin: ${origin}`, 'Access-Control-Request-Method: PUT', ...more]);

describe('CORS with a list of origins and credentials', () => {
  const allowedOrigins = [ORIGIN, SECOND];
  const gateway = useGateway({ cors: { allowedOrigins }, limits: { bodyKib: 1 }, bodyKib: { '/accounts': 1 } });

  it.each(['/', '/health-check', '/accounts', '/auth/login', '/external/x', '/products/1', '/nothing'])(
    'answers a preflight of %s at the gateway, echoing the requested origin, method and headers',
    async (path) => {
      const requested = 'idempotency-key, x-a';
      const answer = await gateway.send(preflight(path, SECOND, `Access-Control-Request-Headers: ${requested}`));
      expect(answer).toMatchObject({ status: 200, headers: { vary: 'Origin' } });
      expect(cors(answer.headers)).toMatchObject({
        'allow-origin': SECOND,
        'allow-credentials': 'true',
        'allow-methods': 'PUT',
        'allow-headers': requested,
        'max-age': '600',
      });
      expect(gateway.seen).toEqual([]);
    },
  );

  it.each([
    EVIL,
    'null',
    'http://localhost:3001',
    'https://localhost:3000',
    'http://localhost:30000',
    'http://localhost:3000.evil.test',
    'http://LOCALHOST:3000',
    '*',
  ])('does not allow the origin %s', async (origin) => {
    const preflighted = await gateway.send(preflight('/accounts', origin));
    const requested = await gateway.askAsCustomer('GET /accounts', [`Origin: ${origin}`]);
    for (const { headers } of [preflighted, requested]) {
      expect(cors(headers)).not.toHaveProperty('allow-origin');
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
  ])('adds its headers to a %s response', async (_, firstLine, lines, status) => {
    const answer = await gateway.ask(firstLine, [`Origin: ${ORIGIN}`, ...lines], 'x'.repeat(101));
    expect(answer).toMatchObject({ status, headers: { vary: 'Origin' } });
    const exposed = expect.stringContaining('etag, idempotency-replayed, link, location');
    const expected = { 'allow-origin': ORIGIN, 'allow-credentials': 'true', 'expose-headers': exposed };
    expect(cors(answer.headers)).toMatchObject(expected);
  });

  it('adds only Vary to the response to a request without Origin', async () => {
    const { headers } = await gateway.ask('GET /');
    expect([cors(headers), headers.vary]).toEqual([{}, 'Origin']);
  });

  it("keeps a service's own Vary", async () => {
    gateway.services.account.answer('HTTP/1.1 200 OK\r\nvary: Accept-Encoding\r\ncontent-length: 0\r\n\r\n');
    const { headers } = await gateway.askAsCustomer('GET /accounts');
    expect(headers.vary?.split(/, ?/).sort()).toEqual(['Accept-Encoding', 'Origin']);
  });
});

describe('the rate limit', () => {
  const allowed = {
    'allow-origin': SECOND,
    'allow-credentials': 'true',
    'expose-headers': expect.stringContaining('ratelimit-policy, retry-after'),
  };
  const gateway = useGateway({
    cors: { allowedOrigins: [SECOND] },
    limits: { requests: { perSecond: 1, burst: 1 } },
  });

  it.each([
    ['a preflight from an allowed origin', preflight('/accounts', SECOND), allowed],
    ['a request from an allowed origin', http('GET /accounts', [`Origin: ${SECOND}`]), allowed],
    ['a preflight from another origin', preflight('/accounts', EVIL), {}],
    ['a request from another origin', http('GET /accounts', [`Origin: ${EVIL}`]), {}],
    ['a request without an origin', http('GET /accounts'), {}],
  ])('counts %s, and sets CORS headers only for an allowed origin', async (_, request, expected) => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => gateway.send(request)));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(10);
    for (const { headers } of refused) {
      expect(cors(headers)).toEqual(expected);
      expect(headers).toMatchObject({ vary: 'Origin', ratelimit: expect.any(String) });
    }
  });
});

const inEnvironment = (origins: string, credentials: string) => [
  { name: 'CORS_ALLOWED_ORIGINS', value: origins },
  { name: 'CORS_ALLOWED_CREDENTIALS', value: credentials },
];

describe('variables of the gateway', () => {
  const limits = { requests: { perSecond: 1, burst: 3 } };
  const values = { cors: { allowedOrigins: [EVIL] }, limits, trustedHops: 1 };
  const listed = useGateway({ ...values, extraEnv: inEnvironment(` ${ORIGIN}, ${SECOND} ,`, 'true') });
  const any = useGateway({ ...values, extraEnv: inEnvironment('*', 'false') });

  /** The outcomes of a preflight, of a change from that origin, and of too many requests. */
  async function outcomesOf(gateway: Gateway, origin: string, client: string) {
    const lines = [`Origin: ${origin}`, `X-Forwarded-For: ${client}`];
    const preflighted = await gateway.send(preflight('/accounts', origin, `X-Forwarded-For: ${client}`));
    const changed = await gateway.ask('POST /auth/login', lines);
    const requests = Array.from({ length: 20 }, () => gateway.ask('GET /', lines));
    const refused = (await Promise.all(requests)).find(({ status }) => status === 429);
    return [preflighted, changed, refused].map((answer) => {
      const { 'allow-origin': allowed, 'allow-credentials': credentials } = cors(answer?.headers ?? {});
      return [answer?.status, allowed, credentials];
    });
  }

  it.each([
    [ORIGIN, '192.0.2.1'],
    [SECOND, '192.0.2.2'],
  ])('allow %s instead of the origins in values', async (origin, client) => {
    const byPolicy = [origin, 'true'];
    expect(await outcomesOf(listed, origin, client)).toEqual([
      [200, ...byPolicy],
      [200, ...byPolicy],
      [429, ...byPolicy],
    ]);
  });

  it('allow no other origin', async () => {
    const outcomes = await outcomesOf(listed, EVIL, '192.0.2.3');
    expect(outcomes.map(([status, allowed]) => [status, allowed])).toEqual([
      [200, undefined],
      [403, undefined],
      [429, undefined],
    ]);
  });

  it('allow all origins, without credentials', async () => {
    expect(await outcomesOf(any, EVIL, '192.0.2.4')).toEqual([
      [200, EVIL, undefined],
      [200, EVIL, undefined],
      [429, EVIL, undefined],
    ]);
  });

  const dir = useFolder();
  it.each([
    ['*', 'true', /every website could act on behalf of a logged-in customer/],
    [`${ORIGIN},*`, '', /every website could act/],
    [`${ORIGIN}/`, 'true', /"http:\/\/localhost:3000\/" is not an origin/],
    ['http://SHOP.test', 'true', /is not an origin/],
    ['http://a"}], x: [{"', 'true', /is not an origin/],
    ["http://a' == 'a", 'true', /is not an origin/],
    ['http://a|b&c', 'true', /is not an origin/],
    ['null', 'true', /is not an origin/],
    [ORIGIN, 'yes', /CORS_ALLOWED_CREDENTIALS is "yes". Expected is true or false/],
  ])('with %j and %j are refused at start, with a sentence', async (origins, credentials, sentence) => {
    const { 'start.sh': start, 'envoy.yaml': config } = await renderGateway({});
    await writeFile(join(dir, 'start.sh'), start);
    await writeFile(join(dir, 'rendered.yaml'), config);
    const env = { CORS_ALLOWED_ORIGINS: origins, CORS_ALLOWED_CREDENTIALS: credentials };
    const args = [join(dir, 'start.sh'), join(dir, 'rendered.yaml'), join(dir, 'run'), 'echo', 'started'];
    const { exitCode, stderr, stdout } = await execa('bash', args, { env, reject: false });
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(sentence);
  });
});

describe.each([
  ['an empty list', { allowedOrigins: [] }, undefined],
  ['* without credentials', { allowedOrigins: ['*'], allowedCredentials: false }, EVIL],
  ['a listed origin without credentials', { allowedOrigins: [EVIL], allowedCredentials: false }, EVIL],
])('with %s', (_, policy, origin) => {
  const gateway: Gateway = useGateway({ cors: policy });

  it('CORS headers follow the policy', async () => {
    const preflighted = await gateway.send(preflight('/accounts', EVIL));
    const requested = await gateway.ask('GET /', [`Origin: ${EVIL}`]);
    expect([preflighted.status, requested.status]).toEqual([200, 200]);
    for (const answer of [preflighted, requested]) {
      const headers = cors(answer.headers);
      expect(headers['allow-origin']).toBe(origin);
      if (origin) expect(headers).not.toHaveProperty('allow-credentials');
    }
    expect(gateway.checks()).toEqual([]);
  });
});
