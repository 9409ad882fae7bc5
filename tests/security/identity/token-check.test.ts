import { ACCOUNT, COOKIE, type Fixture, goodAuth, http, startFixture, TOKEN } from '../_fixture.ts';
import { type Reply, reply } from '../_upstream.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture?.stop());
beforeEach(() => {
  fixture.clear();
  fixture.auth.answer(goodAuth);
});

const sendWithToken = (firstLine = 'GET /accounts') => fixture.send(http(firstLine, [`Cookie: ${COOKIE}`]));
const tokenLine = `authorization: Bearer ${TOKEN}`;

async function expectRejection(status: number, firstLine?: string) {
  const response = await sendWithToken(firstLine);
  expect(response.status).toBe(status);
  expect(response.headers['content-type']).toBe('application/problem+json');
  expect(response.headers['retry-after']).toBe(status === 503 ? '2' : undefined);
  const detail = status === 503 ? 'Tokens cannot be checked at the moment. Try again shortly.' : 'Invalid token';
  expect(JSON.parse(response.body)).toMatchObject({ status, detail });
  expect(response.body).not.toContain('inside');
  expect(response.headers).not.toHaveProperty('set-cookie');
  expect(fixture.reached()).toEqual([]);
}

describe('token check without a valid identity', () => {
  const invalid: [string, Reply][] = [
    ['401', reply(401, ['content-type: application/json', 'set-cookie: inside=1'], '{"inside":1}')],
    ['200 without id-account', reply(200, [tokenLine])],
    ['200 with an empty id-account', reply(200, ['id-account: ', tokenLine])],
    ['200 with an id-account that is not a UUID', reply(200, ['id-account: 1', tokenLine])],
    ['200 with two ids in one header', reply(200, [`id-account: ${ACCOUNT},${ACCOUNT}`, tokenLine])],
    ['204', `HTTP/1.1 204 No Content\r\nid-account: ${ACCOUNT}\r\n${tokenLine}\r\n\r\n`],
    ['201', reply(201, [`id-account: ${ACCOUNT}`, tokenLine])],
    ['302', reply(302, ['location: /inside', 'set-cookie: inside=1'], 'inside')],
    ['304', 'HTTP/1.1 304 Not Modified\r\n\r\n'],
  ];
  it.each(invalid)('returns 401 when auth responds with %s', async (_, response) => {
    fixture.auth.answer(response);
    await expectRejection(401);
    await expectRejection(401, 'POST /orders');
    await expectRejection(401, 'GET /nothing');
    await expectRejection(401, 'GET /external/x');
  });

  const failing: [string, Reply][] = [
    ['500', reply(500, ['set-cookie: inside=1'], 'inside')],
    ['500 with an id-account', reply(500, [`id-account: ${ACCOUNT}`])],
    ['503', reply(503)],
    ['404', reply(404, [], 'inside')],
    ['403', reply(403)],
    ['429', reply(429)],
    ['bytes that are not HTTP', 'inside\r\n\r\n'],
    ['two lengths', `HTTP/1.1 200 OK\r\nid-account: ${ACCOUNT}\r\ncontent-length: 0\r\ncontent-length: 1\r\n\r\n`],
    ['a closed connection', 'hang-up'],
  ];
  it.each(failing)('returns 503 when auth responds with %s', async (_, response) => {
    fixture.auth.answer(response);
    await expectRejection(503);
    await expectRejection(503, 'POST /orders');
  });

  it('returns 503 after two seconds when auth does not respond', async () => {
    fixture.auth.answer('silence');
    const started = Date.now();
    await expectRejection(503);
    expect(Date.now() - started).toBeGreaterThan(1900);
    expect(Date.now() - started).toBeLessThan(4000);
  });

  it('returns 503 with a token and 401 without while auth is down, keeps open routes open, and recovers', async () => {
    await fixture.auth.down();
    try {
      await expectRejection(503);
      expect((await fixture.send(http('GET /accounts'))).status).toBe(401);
      expect((await fixture.send(http('GET /'))).status).toBe(200);
      expect((await fixture.send(http('GET /health-check'))).status).toBe(200);
      const login = await fixture.send(http('POST /auth/login'));
      expect(login.status).toBe(503);
      expect(JSON.parse(login.body).detail).toBe('The service cannot be reached at the moment. Try again shortly.');
    } finally {
      await fixture.auth.up();
    }
    expect((await sendWithToken()).status).toBe(200);
  });
});

describe('token check request', () => {
  it.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('is sent once for a %s', async (method) => {
    expect((await sendWithToken(`${method} /accounts?x=secret`)).status).toBe(200);
    expect(fixture.checks()).toHaveLength(1);
    expect(fixture.checks()).toMatchObject([{ method, path: '/check', body: '' }]);
  });

  it("carries the cookies of the client's request and no other headers", async () => {
    const lines = [
      `Cookie: a=1; ${COOKIE}`,
      'traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
      'X-Own: 1',
      'Authorization: Bearer own',
      'Content-Length: 2',
    ];
    await fixture.send(http('POST /accounts', lines, '{}'));
    const [check] = fixture.checks();
    expect(check?.headers).toMatchObject({ cookie: `a=1; ${COOKIE}`, 'content-length': '0' });
    expect(check?.headers['x-request-id']).toBe(fixture.reached()[0]?.headers['x-request-id']);
    expect(check?.headers).not.toHaveProperty('traceparent');
    expect(check?.headers).not.toHaveProperty('x-own');
    expect(check?.headers).not.toHaveProperty('authorization');
  });

  it('is retried when the connection breaks', async () => {
    let checks = 0;
    fixture.auth.answer((seen) => (++checks === 1 ? 'hang-up' : goodAuth(seen)));
    expect((await sendWithToken('POST /orders')).status).toBe(200);
    expect(fixture.checks()).toHaveLength(2);
    expect(fixture.reached()).toHaveLength(1);
  });

  it("removes the client's Authorization even when auth returns none", async () => {
    fixture.auth.answer(reply(200, [`id-account: ${ACCOUNT}`]));
    await fixture.send(http('GET /accounts', [`Cookie: ${COOKIE}`, 'Authorization: Bearer forged']));
    expect(fixture.reached()).toHaveLength(1);
    expect(fixture.reached()[0]?.headers).not.toHaveProperty('authorization');
  });
});
