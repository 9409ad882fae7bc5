import { COOKIE, expectProblem, type Gateway, goodAuth, http, useGateway } from '../_fixture.ts';
import { sendHttp2 } from '../_raw.ts';

const KIB = 1024;
const token = [`Cookie: ${COOKIE}`];

describe('default size limits', () => {
  const gateway = useGateway();
  const many = (count: number, value: string) => Array.from({ length: count }, (_, i) => `X-${i}: ${value}`);

  describe.each([
    ['POST /auth/login', 8, []],
    ['POST /auth/solve', 8, token],
    ['PUT /accounts', 8, token],
    ['POST /products', 192, token],
    ['POST /orders', 192, token],
    ['POST /external/x', 64, token],
    ['POST /nothing', 64, token],
  ])('of %s: %i KiB', (firstLine, kib, lines) => {
    const send = (bytes: number) => gateway.ask(firstLine, [...lines, `Content-Length: ${bytes}`], 'x'.repeat(bytes));
    const tooLarge = { title: 'Payload Too Large', detail: `The body is larger than ${kib} KiB.` };
    const instance = firstLine.split(' ')[1];

    it('pass, and one more byte is 413', async () => {
      const expected = { '/external/x': 503, '/nothing': 404 }[String(instance)] ?? 200;
      expect((await send(kib * KIB)).status).toBe(expected);
      if (expected === 200) expect(gateway.reached()[0]?.body).toHaveLength(kib * KIB);
      gateway.clear();
      expectProblem(await send(kib * KIB + 1), 413, tooLarge);
      expect(gateway.reached()).toEqual([]);
    });

    it('return 413 for more in chunks, on secured routes above 192 KiB', async () => {
      const chunks = `400\r\n${'x'.repeat(KIB)}\r\n`.repeat((lines.length ? 192 : kib) + 8);
      const answer = await gateway.ask(firstLine, ['Transfer-Encoding: chunked', ...lines], `${chunks}0\r\n\r\n`);
      expectProblem(answer, 413, { ...tooLarge, instance });
      expect(gateway.reached()).toEqual([]);
    });
  });

  it('reject 256 KiB over HTTP/2 without Content-Length with 413', async () => {
    const request = { ':method': 'POST', ':path': '/products', cookie: COOKIE };
    expect((await sendHttp2(gateway.port, request, { body: 'x'.repeat(256 * KIB) })).status).toBe(413);
    expect(gateway.reached()).toEqual([]);
  });

  const cookies = (bytes: number, fill = 'x') => `Cookie: ${`${COOKIE}; a=`.padEnd(bytes, fill)}`;
  it.each([
    ['accept headers of 15 KiB', [...token, `X-A: ${'x'.repeat(15 * KIB)}`], undefined],
    ['reject a header of 16 KiB', [...token, `X-A: ${'x'.repeat(16 * KIB)}`], 'headers'],
    ['reject many headers that total 17 KiB', [...token, ...many(17, 'x'.repeat(KIB))], 'headers'],
    ['reject 101 headers', [...token, ...many(101, 'x')], 'headers'],
    ['accept cookies of 8 KiB', [cookies(8 * KIB)], undefined],
    ['accept cookies of 8 KiB that are not UTF-8', [cookies(8 * KIB, '\xff')], undefined],
    ['reject cookies of 8 KiB and one byte', [cookies(8 * KIB + 1)], 'cookies'],
    ['reject cookies of 8 KiB and one byte that are not UTF-8', [cookies(8 * KIB + 1, '\xff')], 'cookies'],
    ['reject cookies of 8 KiB of semicolons', [cookies(8 * KIB + 1, ';')], 'cookies'],
    ['reject two cookie headers that total 8 KiB', [cookies(4096), `Cookie: ${'x'.repeat(4096)}`], 'cookies'],
  ])('%s', async (_, lines, refused) => {
    const details: Record<string, string> = {
      headers: 'The headers are larger than 16 KiB, or there are more than 100.',
      cookies: 'The cookies are larger than 8 KiB.',
    };
    for (const firstLine of ['GET /accounts', 'GET /auth/logout', 'GET /']) {
      gateway.clear();
      const answer = await gateway.ask(firstLine, lines);
      if (refused === undefined) expect(answer.status).toBe(200);
      else expectProblem(answer, 431, { title: 'Request Header Fields Too Large', detail: details[refused] });
      if (refused) expect(gateway.seen).toEqual([]);
    }
  });

  it('reject cookies over HTTP/2 that total more than 8 KiB, each in its own header', async () => {
    const request = { ':path': '/accounts', cookie: [COOKIE, ...Array(8).fill(`a=${'x'.repeat(KIB)}`)] };
    expect((await sendHttp2(gateway.port, request)).status).toBe(431);
    expect(gateway.seen).toEqual([]);
  });
});

describe('rate limit per client', () => {
  const once = { perSecond: 1, burst: 1 };

  /** Sends all requests at once. `refilled` is the maximum number that may pass in addition to the burst. */
  async function sendAll(gateway: Gateway, count: number, request: (n: number) => string) {
    const started = Date.now();
    const answers = await Promise.all(Array.from({ length: count }, (_, n) => gateway.send(request(n))));
    const refused = answers.filter(({ status }) => status !== 200);
    for (const answer of refused) {
      expectProblem(answer, 429, { title: 'Too Many Requests' });
      expect(answer.headers.ratelimit).toBe('"address";r=0;t=1');
      expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    }
    const policies = new Set(refused.map(({ headers }) => headers['ratelimit-policy']));
    return { passed: count - refused.length, policies, refilled: Math.ceil((Date.now() - started) / 1000) };
  }

  describe('of credentials, and of all requests', () => {
    const burst = { credentials: { perSecond: 1, burst: 4 }, requests: { perSecond: 1, burst: 25 } };
    const gateway = useGateway({ limits: burst });

    it('counts login and register together and other requests apart, and returns 429 with Retry-After', async () => {
      const credentials = ['POST /auth/login', 'POST /auth/register?x=1', 'POST //auth/./login'];
      const forged = (n: number) => [`X-Forwarded-For: 198.51.100.${n}`];
      const some = await sendAll(gateway, 15, (n) => http(credentials[n % 3] ?? '', forged(n)));
      expect(some.passed).toBeGreaterThanOrEqual(4);
      expect(some.passed).toBeLessThanOrEqual(4 + some.refilled);
      expect(gateway.reached()).toHaveLength(some.passed);
      const rest = await sendAll(gateway, 40, (n) => http('GET /health-check', forged(n)));
      expect(rest.passed).toBeGreaterThan(4);
      expect(rest.passed).toBeLessThanOrEqual(25 + some.refilled + rest.refilled);
      expect([...some.policies, ...rest.policies]).toEqual(Array(2).fill('"requests";q=1;w=1, "credentials";q=1;w=1'));
    });
  });

  describe('of the public catalogue', () => {
    const gateway = useGateway({ publicCatalogue: true, limits: { catalogue: { perSecond: 1, burst: 3 } } });

    it('leaves other requests alone', async () => {
      const lines = ['GET /products', 'GET /products?page=1', 'GET /products/1', 'HEAD /products'];
      const { passed, policies, refilled } = await sendAll(gateway, 20, (n) => http(lines[n % 3] ?? '', token));
      expect(passed).toBeGreaterThanOrEqual(3);
      expect(passed).toBeLessThanOrEqual(3 + refilled);
      expect([...policies].join()).toContain('"catalogue";q=1;w=1');
      expect((await gateway.askAsCustomer('GET /accounts')).status).toBe(200);
    });
  });

  describe.each([
    ['GET /', { requests: once }],
    ['POST /auth/login', { credentials: once }],
  ])('behind a trusted proxy: %s', (firstLine, limits) => {
    const gateway = useGateway({ trustedHops: 1, limits });
    const from = (address: string) => http(firstLine, [`X-Forwarded-For: ${address}`]);

    it.each([
      ['an IPv4 address', () => '198.51.100.1', '198.51.100.2'],
      ['an IPv4 address with any port', (n: number) => `198.51.100.11:${1_000 + n}`, '198.51.100.12:1000'],
      ['an IPv4 address within IPv6', () => '::ffff:198.51.100.21', '::ffff:198.51.100.22'],
      ['an IPv4 address behind NAT64', () => '64:ff9b::198.51.100.31', '64:ff9b::198.51.100.32'],
      ['a /64 of IPv6', (n: number) => `2001:db8::${n}:0:0:${n}`, '2001:db8:0:1::1'],
      ['a /64 of IPv6 with any port', (n: number) => `[2001:db8:0:2::${n}]:${1_000 + n}`, '[2001:db8:0:3::1]:1000'],
    ])('counts %s as one client', async (_, same, other) => {
      const { passed, refilled } = await sendAll(gateway, 20, (n) => from(same(n)));
      expect(passed).toBeLessThanOrEqual(1 + refilled);
      expect((await gateway.send(from(other))).status).toBe(200);
    });
  });
});

describe('time-outs', () => {
  const gateway = useGateway({ timeouts: { route: 1, firstRequest: 1, requestHeaders: 1, request: 2 } });
  const silentAuth = (one: Gateway) => one.auth.answer((seen) => (seen.path === '/check' ? goodAuth(seen) : 'silence'));

  it.each(['GET /products', 'POST /orders', 'POST /auth/login'])(
    'return 504 for %s if the service does not respond',
    async (firstLine) => {
      gateway.services.product.answer('silence');
      gateway.services.order.answer('HTTP/1.1 200 OK\r\nhalf: an ans');
      silentAuth(gateway);
      const answer = await gateway.askAsCustomer(firstLine);
      expectProblem(answer, 504, { title: 'Gateway Timeout', instance: firstLine.split(' ')[1] });
      expect(gateway.reached()).toHaveLength(1);
    },
  );

  const unfinished = http('POST /auth/login', ['Content-Length: 10'], 'x');
  it.each([
    ['the request headers never end', 'POST /auth/login HTTP/1.1\r\nHost: x\r\n'],
    ['the request body never ends', unfinished],
  ])('return 408 if %s', async (_, bytes) => {
    expectProblem(await gateway.send(bytes), 408, { title: 'Request Timeout' });
  });

  it.each([
    ['nothing', ''],
    ['half a request line', 'GET /acc'],
  ])('close a new connection that sends %s', async (_, bytes) => {
    // Either of two time-outs of one second may come first; the listener's closes without an answer.
    const end = await gateway.send(bytes).then(
      ({ status }) => status,
      ({ message }) => message,
    );
    expect(['the connection was closed after ""', 408]).toContain(end);
  });

  describe('of an open request', () => {
    const impatient = useGateway({ timeouts: { open: 1 } });

    it('are shorter, and apply to the whole request', async () => {
      expectProblem(await impatient.send(unfinished), 408, { title: 'Request Timeout' });
      silentAuth(impatient);
      expectProblem(await impatient.ask('POST /auth/login'), 504);
    });
  });
});
