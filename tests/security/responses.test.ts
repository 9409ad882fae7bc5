import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { execa } from 'execa';
import { freePort } from '../../tools/free-port.ts';
import { renderGateway } from '../../tools/local/components/gateway.ts';
import { until } from '../kit/until.ts';
import { COOKIE, expectProblem, http, useGateway, withGateway } from './_fixture.ts';
import { sendHttp2 } from './_raw.ts';
import { reply } from './_upstream.ts';

const gateway = useGateway();
const withToken = (firstLine: string) => http(firstLine, [`Cookie: ${COOKIE}`]);

it.each([
  [400, 'Bad Request', 'an escaped slash', '/accounts/x', http('GET /accounts%2fx')],
  [400, 'Bad Request', 'a header name with an underscore', undefined, http('GET /accounts', ['a_b: 1'])],
  [400, 'Bad Request', 'bytes that are not HTTP', undefined, 'hello\r\n\r\n'],
  [400, 'Bad Request', 'a missing Host header', '/accounts', 'GET /accounts HTTP/1.1\r\n\r\n'],
  [400, 'Bad Request', 'two hosts', '/accounts', http('GET /accounts', [`Cookie: ${COOKIE}`, 'Host: evil.test'])],
  [400, 'Bad Request', 'one host twice', '/auth/login', http('POST /auth/login', ['Host: store.test'])],
  [401, 'Unauthorized', 'a missing token', '/accounts', http('GET /accounts?x=secret')],
  [401, 'Unauthorized', 'an invalid token', '/orders', http('GET /orders', ['Cookie: __store_jwt_token=x'])],
  [401, 'Unauthorized', 'a missing token on an unknown path', '/nothing', http('GET /nothing')],
  [403, 'Forbidden', 'an upgrade', '/accounts', http('GET /accounts', ['Upgrade: websocket', 'Connection: Upgrade'])],
  [404, 'Not Found', 'an unknown path', '/nothing', withToken('GET /nothing?x=secret')],
  [404, 'Not Found', 'an internal path', '/internal/accounts', withToken('POST /internal/accounts')],
  [405, 'Method Not Allowed', 'another method on the root', '/', withToken('POST /')],
  [405, 'Method Not Allowed', 'TRACE on the root', '/', withToken('TRACE /')],
  [405, 'Method Not Allowed', 'OPTIONS on the health check', '/health-check', withToken('OPTIONS /health-check')],
  [405, 'Method Not Allowed', 'QUERY without a type', '/accounts', withToken('QUERY /accounts')],
  [426, 'Upgrade Required', 'HTTP/1.0', undefined, 'GET / HTTP/1.0\r\n\r\n'],
  [501, 'Not Implemented', 'an unknown transfer encoding', undefined, http('POST /', ['Transfer-Encoding: gzip'])],
  [503, 'Service Unavailable', 'an unreachable site', '/external/x', withToken('GET /external/x?y')],
])('%i %s for %s is problem+json', async (status, title, _, instance, bytes) => {
  const answer = await gateway.send(bytes);
  const problem = { type: 'about:blank', title, detail: expect.stringMatching(/\w/), ...(instance && { instance }) };
  expectProblem(answer, status, problem);
  expect(answer.headers['retry-after']).toBe(status === 503 ? '2' : undefined);
  const challenge = 'Cookie realm="store", cookie-name="__store_jwt_token"';
  expect(answer.headers['www-authenticate']).toBe(status === 401 ? challenge : undefined);
  expect(answer.body).not.toContain('secret');
  expect(gateway.reached()).toEqual([]);
});

it.each([
  ['POST /', 'GET, HEAD'],
  ['TRACE /health-check', 'GET, HEAD'],
  ['QUERY /orders', 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT'],
])('a 405 of the gateway lists the allowed methods: %s', async (line, allow) => {
  expect((await gateway.askAsCustomer(line)).headers).toMatchObject({ allow });
});

it('an unknown method is 405, although HTTP/2 would pass it on', async () => {
  const headers = { ':method': 'FOO', ':path': '/accounts', cookie: COOKIE };
  expectProblem(await sendHttp2(gateway.port, headers), 405, { title: 'Method Not Allowed' });
  expect(gateway.seen).toEqual([]);
});

it.each(['TRACE', 'PROPFIND', 'QUERY'])('%s reaches the service, which decides about its methods', async (method) => {
  const lines = ['Content-Type: application/json', 'Content-Length: 2'];
  expect((await gateway.askAsCustomer(`${method} /accounts`, lines, '{}')).status).toBe(200);
  expect(gateway.reached()).toMatchObject([{ method, path: '/accounts' }]);
});

it('a problem contains the escaped path, so that a path cannot forge the body', async () => {
  const answer = await gateway.askAsCustomer('GET /x","status":200,"a":"%22\\%3c');
  expectProblem(answer, 404);
  expect(Object.keys(JSON.parse(answer.body)).sort()).toEqual(['detail', 'instance', 'status', 'title', 'type']);
});

it('a problem has no body for HEAD', async () => {
  const headers = { 'content-type': 'application/problem+json' };
  expect(await gateway.ask('HEAD /accounts')).toMatchObject({ status: 401, body: '', headers });
});

describe('a faulty service', () => {
  describe.each([
    ['bytes that are not HTTP', 'hello\r\n\r\n', 502],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab', 502],
    ['length and encoding', `${reply(200, ['transfer-encoding: chunked'], '0')}\r\n\r\n`, 502],
    ['headers of 100 kB', reply(200, [`x: ${'x'.repeat(100_000)}`]), 502],
    ['a closed connection', 'hang-up', 503],
  ])('that responds with %s', (_, bytes, status) => {
    it.each([
      ['GET', 2],
      ['HEAD', 2],
      ['POST', 1],
      ['PUT', 1],
      ['PATCH', 1],
      ['DELETE', 1],
    ])('gets a %s %i time(s)', async (method, times) => {
      gateway.services.order.answer(bytes);
      const lines = ['x-envoy-retry-on: 5xx,reset', 'x-envoy-max-retries: 5'];
      const answer = await gateway.askAsCustomer(`${method} /orders`, lines);
      expect(answer).toMatchObject({ status, headers: { 'content-type': 'application/problem+json' } });
      expect(answer.headers['retry-after']).toBe(status === 503 ? '2' : undefined);
      expect(gateway.reached()).toHaveLength(times);
    });
  });

  it.each(['GET', 'POST'])('%s to a stopped service returns 503', async (method) => {
    await gateway.services.order.down();
    const answer = await gateway.askAsCustomer(`${method} /orders`);
    await gateway.services.order.up();
    expectProblem(answer, 503, { instance: '/orders' });
    expect(answer.headers['retry-after']).toBe('2');
  });

  it.each([400, 404, 409, 422, 429, 500, 502, 503, 504])(
    'passes a %i response of the service through unchanged, without a retry',
    async (status) => {
      const headers = { 'content-type': 'application/problem+json', 'retry-after': '7' };
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
      gateway.services.order.answer(reply(status, lines, '{"own":1}'));
      expect(await gateway.askAsCustomer('GET /orders')).toMatchObject({ status, body: '{"own":1}', headers });
      expect(gateway.reached()).toHaveLength(1);
    },
  );
});

it.each([
  ['GET /', 'Store API', 'text/plain', '9'],
  ['GET /?x=1', 'Store API', 'text/plain', '9'],
  ['HEAD /', '', 'text/plain', '9'],
  ['GET /health-check', '', undefined, '0'],
  ['HEAD /health-check', '', undefined, '0'],
])('answers %s itself without a token check, HEAD with the length of GET', async (firstLine, body, type, length) => {
  const { headers, ...answer } = await gateway.ask(firstLine);
  expect(answer).toEqual({ status: 200, body });
  expect([headers['content-type'], headers['content-length']]).toEqual([type, length]);
  expect(gateway.seen).toEqual([]);
});

describe('of the admin interface', () => {
  const ask = (line: string) => {
    const [method, path] = line.split(' ');
    return fetch(`http://127.0.0.1:${gateway.metricsPort}${path}`, { method });
  };

  it('the metrics port serves metrics and readiness', async () => {
    expect(await gateway.metrics()).toContain('envoy_http_downstream_rq_total');
    expect((await ask('GET /ready')).status).toBe(200);
  });

  it.each([
    ...['/', '/config_dump', '/stats', '/ready/../config_dump', '/metrics/../quitquitquit'].map((it) => `GET ${it}`),
    ...['/quitquitquit', '/metrics', '/ready', '/drain_listeners'].map((it) => `POST ${it}`),
  ])('the metrics port does not expose %s', async (line) => {
    const { status, headers } = await ask(line);
    expect([status, headers.get('content-type')]).toEqual([404, 'application/problem+json']);
  });

  it('no port accepts a POST from a page in a browser that would stop Envoy in the local run', async () => {
    const { stdout } = await execa('ss', ['-Hltnp']);
    const own = stdout.split('\n').filter((line) => line.includes(`pid=${gateway.pid()},`));
    const ports = own.map((line) => Number(/127\.0\.0\.1:(\d+)/.exec(line)?.[1]));
    expect(ports).toEqual(expect.arrayContaining([gateway.port, gateway.metricsPort]));
    const headers = { origin: 'http://evil.test', 'content-type': 'text/plain' };
    for (const port of ports) {
      for (const path of ['/quitquitquit', '/healthcheck/fail', '/logging?level=trace', '/config_dump']) {
        const { status } = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers });
        expect([403, 404]).toContain(status);
      }
    }
    const [ready] = await once(request({ socketPath: gateway.adminSocket, path: '/ready' }).end(), 'response');
    expect(await text(ready)).toBe('LIVE\n');
  });

  it('drain.sh in the pod reaches a port: the gateway stops being ready but still answers', async () => {
    const adminPort = await freePort();
    await withGateway({ adminSocket: '', adminPort }, async ({ port, metricsPort }) => {
      const ready = async () => (await fetch(`http://127.0.0.1:${metricsPort}/ready`)).status;
      expect(await ready()).toBe(200);
      const { 'drain.sh': script } = await renderGateway({ adminPort, drainSeconds: 0 });
      await execa('bash', ['-c', script]);
      expect(await ready()).toBe(503);
      const { status, headers } = await fetch(`http://127.0.0.1:${port}/health-check`);
      expect([status, headers.get('connection')]).toEqual([200, 'close']);
    });
  });
});

describe('the access log', () => {
  async function logged(text: string): Promise<string> {
    const find = async () => (await gateway.log()).split('\n').find((line) => line.includes(text)) ?? '';
    await until('the request is logged', async () => (await find()) !== '');
    return find();
  }

  it('has one JSON line per request, without query, cookie and authorization', async () => {
    await gateway.askAsCustomer('POST /accounts/logged?password=secret-query', ['Authorization: Bearer secret-header']);
    const logEntry = { method: 'POST', path: '/accounts/logged', status: 200, upstream: 'account' };
    expect(JSON.parse(await logged('/logged'))).toMatchObject(logEntry);
    expect(await gateway.log()).not.toMatch(/secret|aaaa\.bbbb/);
  });

  it('has 2 KiB of a long path, and 32 characters of a long method', async () => {
    const path = `/accounts/${'x'.repeat(12 * 1024)}`;
    await sendHttp2(gateway.port, { ':method': 'M'.repeat(1024), ':path': path, cookie: COOKIE });
    const line = await logged('MMMM');
    expect(JSON.parse(line)).toMatchObject({ method: 'M'.repeat(32), path: path.slice(0, 2048) });
    expect(line.length).toBeLessThan(4096);
  });
});
