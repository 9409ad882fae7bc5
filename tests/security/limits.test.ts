import { connect } from 'node:net';
import { COOKIE, type Fixture, goodAuth, http, startFixture } from './_fixture.ts';
import { sendHttp2 } from './_raw.ts';

const MIB = 1024 * 1024;
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

  it('let a body of 1 MiB pass', async () => {
    const lines = [`Cookie: ${COOKIE}`, `Content-Length: ${MIB}`];
    expect((await fixture.send(http('POST /products', lines, 'x'.repeat(MIB)))).status).toBe(200);
    expect(fixture.reached()[0]?.body).toHaveLength(MIB);
  });

  it.each([
    ['POST /products', [`Cookie: ${COOKIE}`]],
    ['POST /auth/login', []],
    ['POST /external/x', [`Cookie: ${COOKIE}`]],
  ])('reject %s with 1 MiB and one byte with 413', async (firstLine, lines) => {
    const response = await fixture.send(http(firstLine, [...lines, `Content-Length: ${MIB + 1}`], 'x'.repeat(MIB + 1)));
    expect(response.status).toBe(413);
    expect(problem(response)).toMatchObject({ status: 413, title: 'Payload Too Large' });
    expect(fixture.reached()).toEqual([]);
  });

  it.each(['POST /products', 'POST /auth/login'])('reject %s with 2 MiB in chunks with 413', async (firstLine) => {
    const chunks = `10000\r\n${'x'.repeat(0x10000)}\r\n`.repeat(32);
    const lines = ['Transfer-Encoding: chunked', `Cookie: ${COOKIE}`];
    const response = await fixture.send(http(firstLine, lines, `${chunks}0\r\n\r\n`));
    expect(response.status).toBe(413);
    expect(problem(response).instance).toBe(firstLine.split(' ')[1]);
    expect(fixture.reached()).toEqual([]);
  });

  it('reject 2 MiB over HTTP/2 without Content-Length with 413', async () => {
    const request = { ':method': 'POST', ':path': '/products', cookie: COOKIE };
    expect((await sendHttp2(fixture.port, request, { body: 'x'.repeat(2 * MIB) })).status).toBe(413);
    expect(fixture.reached()).toEqual([]);
  });

  it.each([
    ['accept headers of 50 KiB', [`X-A: ${'x'.repeat(50 * 1024)}`], 200],
    ['reject a header of 61 KiB with 431', [`X-A: ${'x'.repeat(61 * 1024)}`], 431],
    [
      'reject many headers of 61 KiB together with 431',
      Array.from({ length: 61 }, (_, i) => `X-${i}: ${'x'.repeat(1024)}`),
      431,
    ],
    ['reject 101 headers with 431', Array.from({ length: 101 }, (_, i) => `X-${i}: x`), 431],
  ])('%s', async (_, lines, status) => {
    const response = await fixture.send(http('GET /accounts', [`Cookie: ${COOKIE}`, ...lines]));
    expect(response.status).toBe(status);
    if (status === 431) expect(problem(response).status).toBe(431);
    expect(fixture.reached()).toHaveLength(status === 200 ? 1 : 0);
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
        expect(Number(rejected.headers['retry-after'])).toBeGreaterThanOrEqual(1);
        expect(problem(rejected)).toMatchObject({ title: 'Too Many Requests', status: 429 });
      }
    } finally {
      await fixture?.stop();
    }
  });

  it('counts each client behind a trusted proxy separately', async () => {
    const fixture = await startFixture({ trustedHops: 1, limits: { requests: { perSecond: 1, burst: 1 } } });
    try {
      const from = (address: string) => fixture.send(http('GET /', [`X-Forwarded-For: ${address}`]));
      const [first, again, other] = await Promise.all(['1', '1', '2'].map((n) => from(`198.51.100.${n}`)));
      expect([first?.status, again?.status].sort()).toEqual([200, 429]);
      expect(other?.status).toBe(200);
    } finally {
      await fixture?.stop();
    }
  });
});

describe('time-outs', () => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await startFixture({ timeouts: { route: 1, requestHeaders: 1, request: 2 } });
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
});

test('connections above the limit are closed while the metrics port still responds', async () => {
  const fixture = await startFixture({ limits: { connections: 3 } });
  const sockets = [1, 2, 3].map(() => connect({ port: fixture.port, host: '127.0.0.1' }));
  try {
    await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
    sockets.map((socket) => socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'));
    await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('data', resolve))));
    await expect(fixture.send(http('GET /'))).rejects.toThrow('the connection was closed');
    expect((await fetch(`http://127.0.0.1:${fixture.metricsPort}/ready`)).status).toBe(200);
  } finally {
    for (const socket of sockets) socket.destroy();
    await fixture?.stop();
  }
});
