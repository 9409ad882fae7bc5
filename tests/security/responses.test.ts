import { until } from '../kit/until.ts';
import { COOKIE, type Fixture, http, startFixture } from './_fixture.ts';
import { sendHttp2 } from './_raw.ts';
import { type Reply, reply } from './_upstream.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture?.stop());
beforeEach(() => fixture.clear());

const asCustomer = (firstLine: string, lines: string[] = [], body = '') =>
  fixture.send(http(firstLine, [`Cookie: ${COOKIE}`, ...lines], body));

describe("the gateway's own error response", () => {
  const errors: [number, string, string, string | undefined, string][] = [
    [400, 'Bad Request', 'an escaped slash', '/accounts/x', http('GET /accounts%2fx')],
    [400, 'Bad Request', 'a header name with an underscore', undefined, http('GET /accounts', ['a_b: 1'])],
    [400, 'Bad Request', 'bytes that are not HTTP', undefined, 'hello\r\n\r\n'],
    [400, 'Bad Request', 'a missing Host header', '/accounts', 'GET /accounts HTTP/1.1\r\n\r\n'],
    [401, 'Unauthorized', 'a missing token', '/accounts', http('GET /accounts?x=secret')],
    [401, 'Unauthorized', 'an invalid token', '/orders', http('GET /orders', ['Cookie: __store_jwt_token=x'])],
    [401, 'Unauthorized', 'a missing token on an unknown path', '/nothing', http('GET /nothing')],
    [
      403,
      'Forbidden',
      'a WebSocket upgrade',
      '/accounts',
      http('GET /accounts', ['Upgrade: websocket', 'Connection: Upgrade']),
    ],
    [404, 'Not Found', 'an unknown path', '/nothing', http('GET /nothing?x=secret', [`Cookie: ${COOKIE}`])],
    [
      404,
      'Not Found',
      'an internal path',
      '/internal/accounts',
      http('POST /internal/accounts', [`Cookie: ${COOKIE}`]),
    ],
    [404, 'Not Found', 'an unsupported method on the root', '/', http('POST /', [`Cookie: ${COOKIE}`])],
    [426, 'Upgrade Required', 'HTTP/1.0', undefined, 'GET / HTTP/1.0\r\n\r\n'],
    [501, 'Not Implemented', 'an unknown transfer encoding', undefined, http('POST /', ['Transfer-Encoding: gzip'])],
    [
      503,
      'Service Unavailable',
      'an unreachable external site',
      '/external/x',
      http('GET /external/x?y', [`Cookie: ${COOKIE}`]),
    ],
  ];
  it.each(errors)('%i %s for %s is problem+json', async (status, title, _, instance, bytes) => {
    const response = await fixture.send(bytes);
    expect(response.status).toBe(status);
    expect(response.headers['content-type']).toBe('application/problem+json');
    expect(response.headers['retry-after']).toBe(status === 503 ? '2' : undefined);
    const challenge = 'Cookie realm="store", cookie-name="__store_jwt_token"';
    expect(response.headers['www-authenticate']).toBe(status === 401 ? challenge : undefined);
    const problem = JSON.parse(response.body);
    expect(problem).toMatchObject({ type: 'about:blank', title, status, detail: expect.stringMatching(/\w/) });
    if (instance) expect(problem.instance).toBe(instance);
    expect(response.body).not.toContain('secret');
    expect(fixture.reached()).toEqual([]);
  });

  it('escapes the path, so that it cannot forge the body', async () => {
    const response = await asCustomer('GET /x","status":200,"a":"%22\\%3c');
    expect(JSON.parse(response.body)).toMatchObject({ status: 404 });
    expect(Object.keys(JSON.parse(response.body)).sort()).toEqual(['detail', 'instance', 'status', 'title', 'type']);
  });

  it('to HEAD has no body', async () => {
    const response = await fixture.send(http('HEAD /accounts'));
    expect(response).toMatchObject({ status: 401, body: '', headers: { 'content-type': 'application/problem+json' } });
  });
});

it.each(['/', '/health-check'])('HEAD %s has the length of GET', async (path) => {
  for (const method of ['GET', 'HEAD']) {
    const { headers } = await fixture.send(http(`${method} ${path}`));
    expect({ method, length: headers['content-length'] }).toEqual({ method, length: path === '/' ? '9' : '0' });
  }
});

describe('faulty upstream', () => {
  const cases: [string, Reply, number][] = [
    ['bytes that are not HTTP', 'hello\r\n\r\n', 502],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab', 502],
    [
      'length and transfer encoding',
      'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      502,
    ],
    ['headers of 100 kB', reply(200, [`x: ${'x'.repeat(100_000)}`]), 502],
    ['a closed connection', 'hang-up', 503],
  ];
  for (const [method, times] of [
    ['GET', 2],
    ['HEAD', 2],
    ['POST', 1],
    ['PUT', 1],
    ['PATCH', 1],
    ['DELETE', 1],
  ] as const) {
    it.each(cases)(`${method} is sent ${times} time(s) when the service responds with %s`, async (_, bytes, status) => {
      fixture.services.order.answer(bytes);
      const lines = ['x-envoy-retry-on: 5xx,reset', 'x-envoy-max-retries: 5'];
      const response = await asCustomer(`${method} /orders`, lines);
      expect(response.status).toBe(status);
      expect(response.headers['content-type']).toBe('application/problem+json');
      expect(response.headers['retry-after']).toBe(status === 503 ? '2' : undefined);
      expect(fixture.reached()).toHaveLength(times);
    });
  }

  it.each(['GET', 'POST'])('%s to a stopped service returns 503', async (method) => {
    await fixture.services.order.down();
    try {
      const response = await asCustomer(`${method} /orders`);
      expect(response).toMatchObject({ status: 503, headers: { 'retry-after': '2' } });
      expect(JSON.parse(response.body).instance).toBe('/orders');
    } finally {
      await fixture.services.order.up();
    }
  });

  it.each([400, 404, 409, 422, 429, 500, 502, 503, 504])(
    'passes a %i response of the service through unchanged, without a retry',
    async (status) => {
      fixture.services.order.answer(
        reply(status, ['content-type: application/problem+json', 'retry-after: 7'], '{"own":1}'),
      );
      const response = await asCustomer('GET /orders');
      expect(response).toMatchObject({ status, body: '{"own":1}', headers: { 'retry-after': '7' } });
      expect(fixture.reached()).toHaveLength(1);
    },
  );
});

describe('routing', () => {
  it.each([
    ['/accounts', 'account'],
    ['/accounts/1', 'account'],
    ['/auth/solve', 'auth'],
    ['/products', 'product'],
    ['/products/1?a=b', 'product'],
    ['/orders', 'order'],
    ['/orders/1/cancellation', 'order'],
    ['/api/v1/status', 'status'],
    ['/api/v1/status/?limit=1&cursor=2024-01-01T00:00:00%2B01:00', 'status'],
  ])('forwards %s to %s with path and query unchanged', async (path, service) => {
    fixture.services.order.answer(reply(200));
    expect((await asCustomer(`PUT ${path}`)).status).toBe(200);
    expect(fixture.reached()).toMatchObject([{ service, path, method: 'PUT', headers: { host: 'store.test' } }]);
  });

  it.each([
    '/accountsx',
    '/authx',
    '/productsx',
    '/ordersx',
    '/api/v1/statusx',
    '/api/v1',
    '/externalx',
    '/metrics',
    '/ready',
  ])('returns 404 for %s', async (path) => {
    expect((await asCustomer(`GET ${path}`)).status).toBe(404);
    expect(fixture.reached()).toEqual([]);
  });

  it.each([
    ['GET /', 'Store API', 'text/plain'],
    ['GET /?x=1', 'Store API', 'text/plain'],
    ['HEAD /', '', 'text/plain'],
    ['GET /health-check', '', undefined],
    ['HEAD /health-check', '', undefined],
  ])('answers %s itself without a token check', async (firstLine, body, type) => {
    const response = await fixture.send(http(firstLine));
    expect(response).toMatchObject({ status: 200, body });
    expect(response.headers['content-type']).toBe(type);
    expect([...fixture.checks(), ...fixture.reached()]).toEqual([]);
  });
});

describe('metrics port', () => {
  const get = (path: string, method = 'GET') => fetch(`http://127.0.0.1:${fixture.metricsPort}${path}`, { method });

  it('serves metrics and readiness', async () => {
    expect(await (await get('/metrics')).text()).toContain('envoy_http_downstream_rq_total');
    expect((await get('/ready')).status).toBe(200);
  });

  it.each([
    ['GET', '/'],
    ['GET', '/config_dump'],
    ['GET', '/stats'],
    ['GET', '/ready/../config_dump'],
    ['GET', '/metrics/../quitquitquit'],
    ['POST', '/quitquitquit'],
    ['POST', '/metrics'],
    ['POST', '/ready'],
    ['POST', '/drain_listeners'],
  ])('does not expose %s %s of the admin interface', async (method, path) => {
    const response = await get(path, method);
    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
  });
});

test('the access log has one JSON line per request, without query, cookie and authorization', async () => {
  await asCustomer('POST /accounts?password=secret-query', ['Authorization: Bearer secret-header'], '');
  const findLine = async () =>
    (await fixture.log()).split('\n').find((line) => line.includes('"path":"/accounts"') && line.includes('POST'));
  await until('the request is logged', async () => (await findLine()) !== undefined);
  expect(JSON.parse((await findLine()) ?? '')).toMatchObject({
    method: 'POST',
    path: '/accounts',
    status: 200,
    upstream: 'account',
  });
  expect(await fixture.log()).not.toMatch(/secret|aaaa\.bbbb/);
});

test('the access log has 2 KiB of a long path, and 32 characters of a long method', async () => {
  const path = `/accounts/${'x'.repeat(12 * 1024)}`;
  await sendHttp2(fixture.port, { ':method': 'M'.repeat(1024), ':path': path, cookie: COOKIE });
  const findLine = async () => (await fixture.log()).split('\n').find((line) => line.includes('MMMM'));
  await until('the request is logged', async () => (await findLine()) !== undefined);
  const line = (await findLine()) ?? '';
  expect(JSON.parse(line)).toMatchObject({ method: 'M'.repeat(32), path: path.slice(0, 2048) });
  expect(line.length).toBeLessThan(4096);
});
