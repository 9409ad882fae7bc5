import { ACCOUNT, COOKIE, type Fixture, http, startUnlimited, TOKEN, VICTIM } from '../_fixture.ts';
import { sendHttp2 } from '../_raw.ts';
import { type Reply, reply, type Seen } from '../_upstream.ts';

// gateway.auth.call: solve. Auth is what the specification says and nothing else (contract 3.1).

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startUnlimited({ auth: { call: 'solve' } });
});
afterAll(() => fixture?.stop());
beforeEach(() => {
  fixture.clear();
  fixture.auth.answer(specified(TOKEN));
});

const json = 'content-type: application/json';
const solved = (account: string) => reply(200, [json], JSON.stringify({ idAccount: account }));

/** An auth service with one endpoint, which knows one token. */
const specified =
  (known: string) =>
  ({ method, path, headers, body }: Seen): string => {
    if (`${method} ${path}` !== 'POST /auth/solve') return reply(404);
    if (headers['content-type'] !== 'application/json') return reply(415);
    return JSON.parse(body).token === known ? solved(ACCOUNT) : reply(200);
  };

const sendWithToken = (firstLine = 'GET /accounts', cookie = COOKIE) =>
  fixture.send(http(firstLine, [`Cookie: ${cookie}`]));

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

it('asks auth by POST /auth/solve with the token as JSON, and forwards the request with the identity', async () => {
  const lines = [`Cookie: a=1; ${COOKIE}; b=2`, 'X-Own: 1', 'Authorization: Bearer own', 'Content-Length: 2'];
  expect((await fixture.send(http('POST /orders?x=1', lines, '{}'))).status).toBe(200);
  const [check, ...others] = fixture.checks();
  expect(others).toEqual([]);
  expect(check).toMatchObject({ method: 'POST', path: '/auth/solve', body: JSON.stringify({ token: TOKEN }) });
  const request = fixture.reached()[0];
  expect(request).toMatchObject({
    service: 'order',
    path: '/orders?x=1',
    body: '{}',
    headers: { 'id-account': ACCOUNT, authorization: `Bearer ${TOKEN}`, cookie: `a=1; ${COOKIE}; b=2` },
  });
  expect(check?.headers['x-request-id']).toBe(request?.headers['x-request-id']);
  for (const name of ['cookie', 'x-own', 'authorization', 'x-envoy-retry-on', 'x-envoy-max-retries']) {
    expect(check?.headers).not.toHaveProperty(name);
  }
});

it.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('asks once for a %s', async (method) => {
  expect((await sendWithToken(`${method} /accounts`)).status).toBe(200);
  expect(fixture.checks()).toHaveLength(1);
});

describe('the value of the cookie', () => {
  it.each([
    ['in white space', ` \t ${TOKEN} \t `, TOKEN],
    ['with an equals sign', 'a=b==', 'a=b=='],
    ['with quotes', '"a"b"', '"a"b"'],
    ['with backslashes', 'a\\"b\\\\c\\', 'a\\"b\\\\c\\'],
    ['that would end the text', 'a","token":"b', undefined],
    ['that would add a field', '"}\\u0022', '"}\\u0022'],
    ['with a pattern', '%0%1%%[a]*', '%0%1%%[a]*'],
  ])('%s arrives trimmed and as it is', async (_, value, token) => {
    fixture.auth.answer(specified(token ?? 'none'));
    const { status } = await sendWithToken('GET /accounts', `a=1; __store_jwt_token=${value}; b=2`);
    expect(status).toBe(token === undefined ? 401 : 200);
    if (token) expect(fixture.reached()[0]?.headers.authorization).toBe(`Bearer ${token}`);
  });

  it.each([
    ['bytes above ASCII', 'a\xe9b'],
    ['a control character', 'a\x01b'],
    ['white space inside', 'a b'],
  ])('with %s is no token, and returns 401 without asking', async (_, value) => {
    expect([400, 401]).toContain((await sendWithToken('GET /accounts', `__store_jwt_token=${value}`)).status);
    expect([...fixture.checks(), ...fixture.reached()]).toEqual([]);
  });

  const OTHER = '__store_jwt_token=other.token.x';
  it.each([
    ['in one header', [`Cookie: ${COOKIE}; ${OTHER}`]],
    ['in one header, the valid one last', [`Cookie: ${OTHER}; ${COOKIE}`]],
    ['in two headers', [`Cookie: ${COOKIE}`, `Cookie: ${OTHER}`]],
    ['with the same value', [`Cookie: ${COOKIE}; ${COOKIE}`]],
    ['with the second empty', [`Cookie: ${COOKIE}; __store_jwt_token=`]],
    ['with white space', [`Cookie: ${COOKIE};\t__store_jwt_token =x`]],
    ['without a space between', [`Cookie: ${COOKIE};${OTHER}`]],
    ['by a comma', [`Cookie: ${COOKIE},${OTHER}`]],
  ])('twice, %s, returns 401', async (_, lines) => {
    expect((await fixture.send(http('GET /accounts', lines))).status).toBe(401);
    expect(fixture.reached()).toEqual([]);
  });

  it('twice over HTTP/2 returns 401', async () => {
    const response = await sendHttp2(fixture.port, { ':path': '/accounts', cookie: [COOKIE, OTHER] });
    expect(response.status).toBe(401);
    expect(fixture.reached()).toEqual([]);
  });

  it.each(['', '""', '   '])('empty, %j, returns 401 without asking', async (value) => {
    expect((await sendWithToken('GET /accounts', `__store_jwt_token=${value}`)).status).toBe(401);
    expect([...fixture.checks(), ...fixture.reached()]).toEqual([]);
  });
});

describe('an answer without an identity', () => {
  const invalid: [string, Reply][] = [
    ['200 without a body', reply(200)],
    ['204', 'HTTP/1.1 204 No Content\r\n\r\n'],
    ['200 with an id in a header only', reply(200, [`id-account: ${ACCOUNT}`])],
    ['200 with another field', reply(200, [json], JSON.stringify({ accountId: ACCOUNT }))],
    ['200 with null', reply(200, [json], '{"idAccount":null}')],
    ['200 with an empty id', solved('')],
    ['200 with an id that is no UUID', solved('1')],
    ['200 with an id with more behind it', solved(`${ACCOUNT}x`)],
    ['200 with two ids', reply(200, [json], `{"idAccount":"${ACCOUNT}","idAccount":"${VICTIM}"}`)],
    ['200 with an id in a text', reply(200, [json], JSON.stringify({ text: `"idAccount":"${ACCOUNT}"` }))],
    ['200 with a list', reply(200, [json], JSON.stringify([{ idAccount: ACCOUNT }]))],
    ['200 that is not JSON', reply(200, [], `idAccount=${ACCOUNT}`)],
    ['302', reply(302, ['location: /inside', 'set-cookie: inside=1'], `{"idAccount":"${ACCOUNT}"}`)],
    ['400', reply(400, [json], '{"inside":1}')],
    ['401', reply(401, [json, 'set-cookie: inside=1'], `{"idAccount":"${ACCOUNT}"}`)],
    ['403', reply(403)],
    ['404', reply(404, [], 'inside')],
  ];
  it.each(invalid)('returns 401: %s', async (_, response) => {
    fixture.auth.answer(response);
    await expectRejection(401);
    await expectRejection(401, 'POST /orders');
    await expectRejection(401, 'GET /nothing');
    await expectRejection(401, 'GET /external/x');
  });

  const failing: [string, Reply][] = [
    ['500', reply(500, ['set-cookie: inside=1'], `{"idAccount":"${ACCOUNT}"}`)],
    ['503', reply(503, [], 'inside')],
    ['bytes that are not HTTP', 'inside\r\n\r\n'],
    ['a closed connection', 'hang-up'],
  ];
  it.each(failing)('returns 503: %s', async (_, response) => {
    fixture.auth.answer(response);
    await expectRejection(503);
    await expectRejection(503, 'POST /orders');
  });

  it('returns 503 after two seconds if there is none', async () => {
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
      expect((await fixture.send(http('GET /health-check'))).status).toBe(200);
    } finally {
      await fixture.auth.up();
    }
    expect((await sendWithToken()).status).toBe(200);
  });

  it('is asked for once more when the connection breaks', async () => {
    let calls = 0;
    fixture.auth.answer((seen) => (++calls === 1 ? 'hang-up' : specified(TOKEN)(seen)));
    expect((await sendWithToken('POST /orders')).status).toBe(200);
    expect(calls).toBe(2);
  });
});

it('takes an answer with blanks, more fields and an id in capitals', async () => {
  fixture.auth.answer(reply(200, [json], `\n{ "name": "x",\n  "idAccount" : "${ACCOUNT.toUpperCase()}" }\n`));
  expect((await sendWithToken()).status).toBe(200);
  expect(fixture.reached()).toMatchObject([{ headers: { 'id-account': ACCOUNT.toUpperCase() } }]);
});
