import { COOKIE, type Fixture, goodAuth, http, startFixture } from '../_fixture.ts';
import { sendHttp2 } from '../_raw.ts';

const problem = (response: { headers: Record<string, string>; body: string }) => {
  expect(response.headers['content-type']).toBe('application/problem+json');
  return JSON.parse(response.body);
};

describe('default size limits', () => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await startFixture();
  });
  afterAll(() => fixture?.stop());
  beforeEach(() => fixture.clear());

  const limits: [string, number, string[]][] = [
    ['POST /auth/login', 8, []],
    ['POST /auth/solve', 8, [`Cookie: ${COOKIE}`]],
    ['PUT /accounts', 8, [`Cookie: ${COOKIE}`]],
    ['POST /products', 64, [`Cookie: ${COOKIE}`]],
    ['POST /orders', 64, [`Cookie: ${COOKIE}`]],
  ];

  it.each(limits)('let %s with %i KiB pass', async (firstLine, kib, lines) => {
    const body = 'x'.repeat(kib * 1024);
    expect((await fixture.send(http(firstLine, [...lines, `Content-Length: ${body.length}`], body))).status).toBe(200);
    expect(fixture.reached()[0]?.body).toHaveLength(body.length);
  });

  it.each([
    ...limits,
    ['POST /external/x', 64, [`Cookie: ${COOKIE}`]] as const,
    ['POST /nothing', 64, [`Cookie: ${COOKIE}`]] as const,
  ])('reject %s with %i KiB and one byte with 413', async (firstLine, kib, lines) => {
    const body = 'x'.repeat(kib * 1024 + 1);
    const response = await fixture.send(http(firstLine, [...lines, `Content-Length: ${body.length}`], body));
    expect(response.status).toBe(413);
    expect(problem(response)).toMatchObject({
      status: 413,
      title: 'Payload Too Large',
      detail: `The body is larger than ${kib} KiB.`,
    });
    expect(fixture.reached()).toEqual([]);
  });

  it.each(limits.map(([firstLine, kib, lines]) => [firstLine, lines.length ? 192 : kib, lines, kib] as const))(
    'reject %s with more than %i KiB in chunks with 413',
    async (firstLine, limitKib, lines, kib) => {
      const chunks = `400\r\n${'x'.repeat(1024)}\r\n`.repeat(limitKib + 8);
      const response = await fixture.send(
        http(firstLine, ['Transfer-Encoding: chunked', ...lines], `${chunks}0\r\n\r\n`),
      );
      expect(response.status).toBe(413);
      expect(problem(response)).toMatchObject({
        instance: firstLine.split(' ')[1],
        detail: `The body is larger than ${kib} KiB.`,
      });
      expect(fixture.reached()).toEqual([]);
    },
  );

  it('reject 256 KiB over HTTP/2 without Content-Length with 413', async () => {
    const request = { ':method': 'POST', ':path': '/products', cookie: COOKIE };
    expect((await sendHttp2(fixture.port, request, { body: 'x'.repeat(256 * 1024) })).status).toBe(413);
    expect(fixture.reached()).toEqual([]);
  });

  const cookies = (bytes: number, fill = 'x') => `Cookie: ${`${COOKIE}; a=`.padEnd(bytes, fill)}`;
  it.each([
    ['accept headers of 15 KiB', [`X-A: ${'x'.repeat(15 * 1024)}`], undefined],
    ['reject a header of 16 KiB', [`X-A: ${'x'.repeat(16 * 1024)}`], 'headers'],
    [
      'reject many headers of 17 KiB together',
      Array.from({ length: 17 }, (_, i) => `X-${i}: ${'x'.repeat(1024)}`),
      'headers',
    ],
    ['reject 101 headers', Array.from({ length: 101 }, (_, i) => `X-${i}: x`), 'headers'],
    ['accept cookies of 8 KiB', [cookies(8192)], undefined],
    ['accept cookies of 8 KiB that are not UTF-8', [cookies(8192, '\xff')], undefined],
    ['reject cookies of 8 KiB and one byte', [cookies(8193)], 'cookies'],
    ['reject cookies of 8 KiB and one byte that are not UTF-8', [cookies(8193, '\xff')], 'cookies'],
    ['reject cookies of 8 KiB of semicolons', [cookies(8193, ';')], 'cookies'],
    ['reject two cookie headers of 8 KiB together', [cookies(4096), `Cookie: ${'x'.repeat(4096)}`], 'cookies'],
  ])('%s', async (_, lines, refused) => {
    const withToken = lines.some((line) => line.startsWith('Cookie')) ? lines : [`Cookie: ${COOKIE}`, ...lines];
    for (const firstLine of ['GET /accounts', 'GET /auth/logout', 'GET /']) {
      fixture.clear();
      const response = await fixture.send(http(firstLine, withToken));
      const detail = {
        headers: 'The headers are larger than 16 KiB, or more than 100.',
        cookies: 'The cookies are larger than 8 KiB.',
      }[String(refused)];
      expect(response.status).toBe(refused ? 431 : 200);
      if (refused) expect(problem(response)).toMatchObject({ title: 'Request Header Fields Too Large', detail });
      if (refused) expect([...fixture.checks(), ...fixture.reached()]).toEqual([]);
    }
  });

  it('reject cookies over HTTP/2 that are more than 8 KiB together, each a header of its own', async () => {
    const request = { ':path': '/accounts', cookie: [COOKIE, ...Array<string>(8).fill(`a=${'x'.repeat(1024)}`)] };
    expect((await sendHttp2(fixture.port, request)).status).toBe(431);
    expect([...fixture.checks(), ...fixture.reached()]).toEqual([]);
  });
});

describe('rate limit per client', () => {
  it('counts login and register together and other requests apart, and returns 429 with Retry-After', async () => {
    const fixture = await startFixture({
      limits: { credentials: { perSecond: 1, burst: 4 }, requests: { perSecond: 1, burst: 25 } },
    });
    try {
      const started = Date.now();
      const sendAll = (lines: [string, ...string[]][]) =>
        Promise.all(lines.map(([firstLine, ...headers]) => fixture.send(http(firstLine, headers))));
      const credentials = await sendAll([
        ...Array<[string]>(5).fill(['POST /auth/login']),
        ...Array<[string, string]>(5).fill(['POST /auth/register?x=1', 'X-Forwarded-For: 198.51.100.7']),
        ...Array<[string]>(5).fill(['POST //auth/./login']),
      ]);
      const rest = await sendAll(
        Array<[string, string]>(40).fill(['GET /health-check', 'X-Forwarded-For: 198.51.100.8']),
      );
      const refilled = Math.ceil((Date.now() - started) / 1000);

      const passed = (responses: { status: number }[]) => responses.filter(({ status }) => status === 200).length;
      expect(passed(credentials)).toBeGreaterThanOrEqual(4);
      expect(passed(credentials)).toBeLessThanOrEqual(4 + refilled);
      expect(fixture.reached()).toHaveLength(passed(credentials));
      expect(passed(rest)).toBeGreaterThan(4);
      expect(passed(rest)).toBeLessThanOrEqual(25 + refilled);
      for (const rejected of [...credentials, ...rest].filter(({ status }) => status !== 200)) {
        expect(rejected.status).toBe(429);
        expect(rejected.headers).toMatchObject({
          ratelimit: '"address";r=0;t=1',
          'ratelimit-policy': expect.stringMatching(/^"requests";q=\d+;w=1, "credentials";q=\d+;w=1$/),
        });
        expect(Number(rejected.headers['retry-after'])).toBeGreaterThanOrEqual(1);
        expect(problem(rejected)).toMatchObject({ title: 'Too Many Requests', status: 429 });
      }
    } finally {
      await fixture?.stop();
    }
  });

  const once = { perSecond: 1, burst: 1 };
  const many = { perSecond: 1000, burst: 1000 };
  const networks = [
    { client: 'an IPv4 address', same: () => '198.51.100.1', other: '198.51.100.2' },
    { client: 'a /64 of IPv6', same: (n: number) => `2001:db8::${n}:0:0:${n}`, other: '2001:db8:0:1::1' },
  ];
  it.each([
    ...networks.map((network) => ({ ...network, firstLine: 'GET /', limits: { requests: once } })),
    ...networks.map((network) => ({
      ...network,
      firstLine: 'POST /auth/login',
      limits: { credentials: once, requests: many },
    })),
  ])('takes $client behind a trusted proxy for one client: $firstLine', async ({ same, other, firstLine, limits }) => {
    const fixture = await startFixture({ trustedHops: 1, limits });
    try {
      const started = Date.now();
      const from = async (address: string) =>
        (await fixture.send(http(firstLine, [`X-Forwarded-For: ${address}`]))).status;
      const statuses = await Promise.all(Array.from({ length: 20 }, (_, n) => from(same(n))));
      const refilled = Math.ceil((Date.now() - started) / 1000);
      expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(1 + refilled);
      expect(await from(other)).toBe(200);
    } finally {
      await fixture.stop();
    }
  });
});

describe('time-outs', () => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await startFixture({ timeouts: { route: 1, firstRequest: 1, requestHeaders: 1, request: 2 } });
  });
  afterAll(() => fixture?.stop());

  it.each(['GET /products', 'POST /orders', 'POST /auth/login'])(
    'return 504 for %s when the service does not respond',
    async (firstLine) => {
      fixture.services.product.answer('silence');
      fixture.services.order.answer('HTTP/1.1 200 OK\r\nhalf: an ans');
      fixture.auth.answer((seen) => (seen.path === '/check' ? goodAuth(seen) : 'silence'));
      fixture.clear();
      const response = await fixture.send(http(firstLine, [`Cookie: ${COOKIE}`]));
      expect(response.status).toBe(504);
      expect(problem(response)).toMatchObject({ title: 'Gateway Timeout', instance: firstLine.split(' ')[1] });
      expect(fixture.reached()).toHaveLength(1);
    },
  );

  it.each([
    ['the request headers never end', 'POST /auth/login HTTP/1.1\r\nHost: x\r\n'],
    ['the request body never ends', http('POST /auth/login', ['Content-Length: 10'], 'x')],
  ])('return 408 when %s', async (_, bytes) => {
    const response = await fixture.send(bytes);
    expect(response.status).toBe(408);
    expect(problem(response).title).toBe('Request Timeout');
  });

  it.each([
    ['nothing', ''],
    ['half a request line', 'GET /acc'],
  ])('close a new connection that brings %s', async (_, bytes) => {
    // Whichever of two time-outs of a second is first: that of the listener says nothing.
    const end = await fixture.send(bytes).then(
      ({ status }) => status,
      ({ message }) => message,
    );
    expect(['the connection was closed after ""', 408]).toContain(end);
  });

  it('are shorter for an open request as a whole', async () => {
    const impatient = await startFixture({ timeouts: { open: 1 } });
    try {
      const response = await impatient.send(http('POST /auth/login', ['Content-Length: 10'], 'x'));
      expect(response.status).toBe(408);
      expect(problem(response).title).toBe('Request Timeout');
      impatient.auth.answer('silence');
      expect((await impatient.send(http('POST /auth/login'))).status).toBe(504);
    } finally {
      await impatient.stop();
    }
  });
});
