import { ACCOUNT, COOKIE, expectProblem, goodAuth, TOKEN, useGateway, VICTIM } from '../_fixture.ts';
import { type Reply, reply } from '../_upstream.ts';

const OTHER = '__store_jwt_token=other.token.x';
const json = 'content-type: application/json';
const id = `id-account: ${ACCOUNT}`;
const token = `authorization: Bearer ${TOKEN}`;
const body = `{"idAccount":"${ACCOUNT}"}`;

/** Answers of auth without an identity, and the resulting status, for each value of gateway.auth.call. */
const without: Record<'check' | 'solve', [status: number, answer: string, Reply][]> = {
  check: [
    [401, '401', reply(401, [json, 'set-cookie: inside=1'], '{"inside":1}')],
    [401, '200 without id-account', reply(200, [token])],
    [401, '200 with an empty id-account', reply(200, ['id-account: ', token])],
    [401, '200 with an id-account that is not a UUID', reply(200, ['id-account: 1', token])],
    [401, '200 with two ids in one header', reply(200, [`${id},${ACCOUNT}`, token])],
    [401, '204', `HTTP/1.1 204 No Content\r\n${id}\r\n${token}\r\n\r\n`],
    [401, '201', reply(201, [id, token])],
    [401, '302', reply(302, ['location: /inside', 'set-cookie: inside=1'], 'inside')],
    [401, '304', 'HTTP/1.1 304 Not Modified\r\n\r\n'],
    [503, '500', reply(500, ['set-cookie: inside=1'], 'inside')],
    [503, '500 with an id-account', reply(500, [id])],
    [503, '503', reply(503)],
    [503, '404', reply(404, [], 'inside')],
    [503, '403', reply(403)],
    [503, '429', reply(429)],
    [503, 'two lengths', `HTTP/1.1 200 OK\r\n${id}\r\ncontent-length: 0\r\ncontent-length: 1\r\n\r\n`],
  ],
  solve: [
    [401, '200 without a body', reply(200)],
    [401, '204', 'HTTP/1.1 204 No Content\r\n\r\n'],
    [401, '200 with an id only in a header', reply(200, [id])],
    [401, '200 with another field', reply(200, [json], `{"accountId":"${ACCOUNT}"}`)],
    [401, '200 with null', reply(200, [json], '{"idAccount":null}')],
    [401, '200 with an empty id', reply(200, [json], '{"idAccount":""}')],
    [401, '200 with an id that is not a UUID', reply(200, [json], '{"idAccount":"1"}')],
    [401, '200 with an id followed by more text', reply(200, [json], `{"idAccount":"${ACCOUNT}x"}`)],
    [401, '200 with two ids', reply(200, [json], `{"idAccount":"${ACCOUNT}","idAccount":"${VICTIM}"}`)],
    [401, '200 with an id inside a string', reply(200, [json], JSON.stringify({ text: `"idAccount":"${ACCOUNT}"` }))],
    [401, '200 with a list', reply(200, [json], `[${body}]`)],
    [401, '200 that is not JSON', reply(200, [], `idAccount=${ACCOUNT}`)],
    [401, '302', reply(302, ['location: /inside', 'set-cookie: inside=1'], body)],
    [401, '400', reply(400, [json], '{"inside":1}')],
    [401, '401', reply(401, [json, 'set-cookie: inside=1'], body)],
    [401, '403', reply(403)],
    [401, '404', reply(404, [], 'inside')],
    [503, '500', reply(500, ['set-cookie: inside=1'], body)],
    [503, '503', reply(503, [], 'inside')],
  ],
};

const gateways = { check: useGateway({ auth: { call: 'check' } }), solve: useGateway({ auth: { call: 'solve' } }) };

describe.each(['check', 'solve'] as const)('with gateway.auth.call %s', (call) => {
  const gateway = gateways[call];

  async function expectRejection(status: number, firstLine = 'GET /accounts') {
    const answer = await gateway.askAsCustomer(firstLine);
    const detail = status === 503 ? 'Tokens cannot be checked at the moment. Try again shortly.' : 'Invalid token';
    expectProblem(answer, status, { detail });
    expect(answer.headers['retry-after']).toBe(status === 503 ? '2' : undefined);
    expect(answer.body).not.toContain('inside');
    expect(answer.headers).not.toHaveProperty('set-cookie');
    expect(gateway.reached()).toEqual([]);
  }

  it.each([
    ...without[call],
    [503, 'bytes that are not HTTP', 'inside\r\n\r\n'] as const,
    [503, 'a closed connection', 'hang-up'] as const,
  ])('returns %i if auth responds with %s', async (status, _, answer) => {
    gateway.auth.answer(answer);
    for (const line of ['GET /accounts', 'POST /orders', 'GET /nothing', 'GET /external/x']) {
      await expectRejection(status, line);
    }
  });

  it('returns 503 after two seconds if auth does not respond', async () => {
    gateway.auth.answer('silence');
    const started = Date.now();
    await expectRejection(503);
    expect(Date.now() - started).toBeGreaterThan(1900);
    expect(Date.now() - started).toBeLessThan(4000);
  });

  it('returns 503 with a token and 401 without one while auth is down, keeps open routes open, and recovers', async () => {
    await gateway.auth.down();
    try {
      await expectRejection(503);
      expect((await gateway.ask('GET /accounts')).status).toBe(401);
      for (const path of ['/', '/health-check']) expect((await gateway.ask(`GET ${path}`)).status).toBe(200);
      const detail = 'The service cannot be reached at the moment. Try again shortly.';
      expectProblem(await gateway.ask('POST /auth/login'), 503, { detail });
    } finally {
      await gateway.auth.up();
    }
    expect((await gateway.askAsCustomer('GET /accounts')).status).toBe(200);
  });

  it.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('asks auth once for a %s', async (method) => {
    expect((await gateway.askAsCustomer(`${method} /accounts?x=secret`)).status).toBe(200);
    const asked = { check: { method, path: '/check', body: '' }, solve: { method: 'POST', path: '/auth/solve' } };
    expect(gateway.checks()).toMatchObject([asked[call]]);
  });

  it('asks once more if the connection breaks', async () => {
    let calls = 0;
    gateway.auth.answer((seen) => (++calls === 1 ? 'hang-up' : goodAuth(seen)));
    expect((await gateway.askAsCustomer('POST /orders')).status).toBe(200);
    expect(calls).toBe(2);
    expect(gateway.reached()).toHaveLength(1);
  });

  it("asks with only the token and the id of the client's request", async () => {
    const traceparent = 'traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const lines = [
      `Cookie: a=1; ${COOKIE}; b=2`,
      traceparent,
      'X-Own: 1',
      'Gateway-Passes-On: x',
      'Authorization: Bearer own',
    ];
    expect((await gateway.ask('POST /orders?x=1', [...lines, 'Content-Length: 2'], '{}')).status).toBe(200);
    const [check, request] = [gateway.checks()[0], gateway.reached()[0]];
    const cookie = `a=1; ${COOKIE}; b=2`;
    expect(check).toMatchObject(
      call === 'check'
        ? { body: '', headers: { cookie, 'content-length': '0', 'gateway-passes-on': 'account-scopes' } }
        : { body: JSON.stringify({ token: TOKEN }), headers: { 'content-type': 'application/json' } },
    );
    expect(check?.headers['x-request-id']).toBe(request?.headers['x-request-id']);
    const names = Object.keys(check?.headers ?? {});
    expect(names.filter((name) => /traceparent|x-own|authorization|x-envoy-(retry|max)/.test(name))).toEqual([]);
    expect(names.includes('cookie')).toBe(call === 'check');
    const headers = { 'id-account': ACCOUNT, authorization: `Bearer ${TOKEN}`, cookie };
    expect(request).toMatchObject({ service: 'order', path: '/orders?x=1', body: '{}', headers });
  });

  describe('the token cookie', () => {
    it.each([
      ['missing', []],
      ['with another name', ['Cookie: store_jwt_token=x']],
      ['in another case', [`Cookie: ${COOKIE.toUpperCase()}`]],
      ['empty', ['Cookie: __store_jwt_token=']],
      ['empty between others', ['Cookie: a=1; __store_jwt_token=; b=2']],
      ['empty in quotes', ['Cookie: __store_jwt_token=""']],
      ['white space', ['Cookie: __store_jwt_token=   ']],
      ['part of another name', [`Cookie: x${COOKIE}`]],
      ['value of another cookie', [`Cookie: x=${COOKIE}`]],
    ])('%s returns 401 without a token check', async (_, lines) => {
      const detail = 'The token cookie is missing or empty. Log in first.';
      expectProblem(await gateway.ask('GET /accounts', lines), 401, { detail });
      expect(gateway.seen).toEqual([]);
    });

    it.each([
      ['in one header', [`Cookie: ${COOKIE}; ${OTHER}`]],
      ['in one header, the valid one last', [`Cookie: ${OTHER}; ${COOKIE}`]],
      ['in two headers', [`Cookie: ${COOKIE}`, `Cookie: ${OTHER}`]],
      ['in two headers, the valid one last', [`Cookie: ${OTHER}`, `cookie: ${COOKIE}`]],
      ['after a cookie that comes twice', [`Cookie: ${COOKIE}; ${COOKIE}; ${OTHER}`]],
      ['with the second quoted', [`Cookie: ${COOKIE}; __store_jwt_token="other.token.x"`]],
      ['with the second empty', [`Cookie: ${COOKIE}; __store_jwt_token=`]],
      ['with white space', [`Cookie: ${COOKIE};\t__store_jwt_token =x`]],
      ['without a space between', [`Cookie: ${COOKIE};${OTHER}`]],
      ['separated by a comma', [`Cookie: ${COOKIE},${OTHER}`]],
    ])('twice, %s, returns 401', async (_, lines) => {
      expect((await gateway.ask('GET /accounts', lines)).status).toBe(401);
      expect(gateway.reached()).toEqual([]);
    });

    it.each([
      ['alone', [`Cookie: ${COOKIE}`]],
      ['between others', [`Cookie: a=1; ${COOKIE}; b=2`]],
      ['in the second header', ['Cookie: a=1', `Cookie: ${COOKIE}`]],
      ['beside invalid UTF-8', [`Cookie: a=\xe9; ${COOKIE}`]],
      ['in quotes', [`Cookie: __store_jwt_token="${TOKEN}"`]],
      ['twice with one value', [`Cookie: ${COOKIE}; a=1; ${COOKIE}`]],
      [
        'twice with one value, once in quotes, in two headers',
        [`Cookie: ${COOKIE}`, `Cookie: __store_jwt_token="${TOKEN}"`],
      ],
    ])('%s, gives the service the identity and all cookies', async (_, lines) => {
      expect((await gateway.ask('GET /accounts', lines)).status).toBe(200);
      const identity = { 'id-account': ACCOUNT, authorization: `Bearer ${TOKEN}` };
      const cookie = expect.stringContaining('__store_jwt_token=');
      expect(gateway.reached()).toMatchObject([{ headers: { ...identity, cookie } }]);
    });
  });
});

// Auth implements only what the specification says (contract 3.1).
describe('the specified call', () => {
  const gateway = gateways.solve;
  const ask = (value: string) => gateway.ask('GET /accounts', [`Cookie: a=1; __store_jwt_token=${value}; b=2`]);
  const solved = (body: string) => gateway.auth.answer(reply(200, ['content-type: application/json'], body));

  it.each([
    ['in white space', ` \t ${TOKEN} \t `, TOKEN],
    ['with an equals sign', 'a=b==', 'a=b=='],
    ['with quotes inside', 'a"b"c', 'a"b"c'],
    ['in quotes', '"a"b"', 'a"b'],
    ['with backslashes', 'a\\"b\\\\c\\', 'a\\"b\\\\c\\'],
    ['that would end the string', 'a","token":"b', 'a"'],
    ['that would add a field', '"}\\u0022', '"}\\u0022'],
    ['with a pattern', '%0%1%%[a]*', '%0%1%%[a]*'],
  ])(
    'the value of the cookie, %s, arrives trimmed, without its quotes, and otherwise unchanged',
    async (_, value, token) => {
      solved(`{"idAccount":"${ACCOUNT}"}`);
      expect((await ask(value)).status).toBe(200);
      expect(gateway.checks().map(({ body }) => JSON.parse(body))).toEqual([{ token }]);
      expect(gateway.reached()).toMatchObject([{ headers: { authorization: `Bearer ${token}` } }]);
    },
  );

  it.each([
    ['bytes above ASCII', 'a\xe9b'],
    ['a control character', 'a\x01b'],
    ['white space inside', 'a b'],
  ])('a value with %s is not a token, and returns 401 without asking auth', async (_, value) => {
    expect([400, 401]).toContain((await ask(value)).status);
    expect(gateway.seen).toEqual([]);
  });

  it('accepts an answer with spaces, additional fields and an id in capitals', async () => {
    solved(`\n{ "name": "x",\n  "idAccount" : "${ACCOUNT.toUpperCase()}" }\n`);
    expect((await ask(TOKEN)).status).toBe(200);
    expect(gateway.reached()).toMatchObject([{ headers: { 'id-account': ACCOUNT.toUpperCase() } }]);
  });
});
