import { sendHttp2 } from './_raw.ts';
import { ACCOUNT, COOKIE, http, identities, type Stage, startStage, TOKEN, VICTIM } from './_stage.ts';

// A login that is tried again and again must not meet its rate limit here.
const unlimited = { perSecond: 10000, burst: 10000 };
let stage: Stage;
beforeAll(async () => {
  stage = await startStage({ limits: { requests: unlimited, credentials: unlimited } });
});
afterAll(() => stage.stop());
beforeEach(() => stage.clear());

/** Whatever reached a service carries the identity that auth gave to this request, or none where auth was not asked. */
function expectNoForgery() {
  for (const request of stage.reached()) {
    expect(identities(request)).toEqual(stage.checks().length > 0 ? [`id-account: ${ACCOUNT}`] : []);
    expect(JSON.stringify(request)).not.toContain(VICTIM);
  }
}

describe('an id-account from outside never arrives', () => {
  const forged: Record<string, string[]> = {
    plain: [`id-account: ${VICTIM}`],
    'other case': [`ID-ACCOUNT: ${VICTIM}`],
    'mixed case': [`Id-aCCount: ${VICTIM}`],
    repeated: [`id-account: ${VICTIM}`, `id-account: ${VICTIM}`],
    'repeated in another case': [`id-account: ${VICTIM}`, `Id-Account: ${VICTIM}`],
    'list value': [`id-account: ${VICTIM}, ${VICTIM}`],
    empty: ['id-account:'],
    'empty, then full': ['id-account:', `id-account: ${VICTIM}`],
    'full of blanks': [`id-account: \t ${VICTIM} \t`],
    'named in Connection': [`id-account: ${VICTIM}`, 'Connection: id-account'],
    'named in Connection beside keep-alive': [`id-account: ${VICTIM}`, 'Connection: keep-alive, Id-Account'],
    'named in TE and Trailer': [`id-account: ${VICTIM}`, 'TE: trailers', 'Trailer: id-account'],
  };
  const routes = [
    ['open', 'POST /auth/login', []],
    ['open, with the cookie', 'GET /auth/logout', [`Cookie: ${COOKIE}`]],
    ['secured', 'GET /accounts', [`Cookie: ${COOKIE}`]],
    ['secured, to auth', 'POST /auth/solve', [`Cookie: ${COOKIE}`]],
  ] as const;
  const cases = Object.entries(forged).flatMap(([spelling, lines]) =>
    routes.map(([route, firstLine, cookie]) => ({ spelling, route, firstLine, lines: [...lines, ...cookie] })),
  );

  it.each(cases)('$spelling on a route that is $route', async ({ firstLine, lines }) => {
    const { status } = await stage.send(http(firstLine, lines));
    expect(status).toBe(200);
    expect(stage.reached()).toHaveLength(1);
    expectNoForgery();
  });

  it.each(Object.entries(forged))('%s without a token: 401', async (_, lines) => {
    expect((await stage.send(http('GET /accounts', lines))).status).toBe(401);
    expect(stage.reached()).toEqual([]);
  });

  it.each([
    ['underscore', `id_account: ${VICTIM}`],
    ['underscore, other case', `ID_Account: ${VICTIM}`],
    ['blank before the colon', `id-account : ${VICTIM}`],
    ['NUL in the name', `id-account\0: ${VICTIM}`],
    ['NUL in the value', `id-account: \0${VICTIM}`],
  ])('malformed: %s', async (_, line) => {
    for (const firstLine of ['GET /accounts', 'POST /auth/login']) {
      const { status, headers } = await stage.send(http(firstLine, [line, `Cookie: ${COOKIE}`]));
      expect(status).toBe(400);
      expect(headers['content-type']).toBe('application/problem+json');
    }
    expect(stage.reached()).toEqual([]);
  });

  it.each([
    ['a folded line', `X-A: 1\r\n id-account: ${VICTIM}`],
    ['a lone carriage return', `X-A: 1\rid-account: ${VICTIM}`],
    ['a lone line feed', `X-A: 1\nid-account: ${VICTIM}`],
    ['a doubled carriage return', `X-A: 1\r\r\nid-account: ${VICTIM}`],
  ])('behind %s it is the value of another header, or removed', async (_, line) => {
    for (const firstLine of ['POST /accounts', 'POST /auth/login']) {
      stage.clear();
      expect((await stage.send(http(firstLine, [line, `Cookie: ${COOKIE}`]))).status).toBe(200);
      expect(stage.reached().flatMap(identities)).toEqual(stage.checks().map(() => `id-account: ${ACCOUNT}`));
    }
  });

  it.each(['POST /auth/login', 'POST /accounts'])('as a trailer of %s', async (firstLine) => {
    const trailer = `2\r\n{}\r\n0\r\nid-account: ${VICTIM}\r\n\r\n`;
    const lines = ['Transfer-Encoding: chunked', 'Trailer: id-account', `Cookie: ${COOKIE}`];
    expect((await stage.send(http(firstLine, lines) + trailer)).status).toBe(200);
    expect(stage.reached()).toMatchObject([{ body: '{}' }]);
    expectNoForgery();
  });

  it('over HTTP/2: as a header, repeated, as a trailer', async () => {
    const request = { ':method': 'POST', ':path': '/accounts', cookie: COOKIE, 'id-account': [VICTIM, VICTIM] };
    const answer = await sendHttp2(stage.port, request, { body: '{}', trailers: { 'id-account': VICTIM } });
    expect(answer.status).toBe(200);
    expect(stage.reached()).toHaveLength(1);
    expectNoForgery();
  });

  it('over HTTP/2: with an underscore', async () => {
    const answer = await sendHttp2(stage.port, { ':path': '/accounts', cookie: COOKIE, id_account: VICTIM });
    expect([0, 400]).toContain(answer.status);
    expect(stage.reached()).toEqual([]);
  });
});

describe('no way of writing a path gets past the check', () => {
  /** Where the path ends up once the gateway has read it; undefined: refused as malformed. */
  const tricks: [string, string | undefined][] = [
    ['/accounts', '/accounts'],
    ['/accounts/', '/accounts/'],
    ['/accounts?x=/auth/login', '/accounts?x=/auth/login'],
    ['//accounts', '/accounts'],
    ['/auth/login/', '/auth/login/'],
    ['/auth/login//', '/auth/login/'],
    ['/auth/login;x=y', '/auth/login;x=y'],
    ['/auth;x/login', undefined],
    ['/AUTH/login', undefined],
    ['/auth/Login', '/auth/Login'],
    ['/auth/login.', '/auth/login.'],
    ['/auth/login%20', '/auth/login%20'],
    ['/auth/login%3f', '/auth/login%3f'],
    ['/auth/login%23', '/auth/login%23'],
    ['/auth/login/../../accounts', '/accounts'],
    ['/auth/login/%2e%2e/%2E%2e/accounts', '/accounts'],
    ['/auth/login/..;/accounts', '/auth/accounts'],
    ['/auth/login\\..\\..\\accounts', '/accounts'],
    ['/./accounts/.', '/accounts/'],
    ['/accounts/../internal/accounts', undefined],
    ['/health-check/../accounts', '/accounts'],
    ['/health-check/', undefined],
    ['/check', undefined],
    ['/auth/../check', undefined],
    ['/internal/password-checks', undefined],
    ['/accountsfoo', undefined],
    ['/nothing', undefined],
    ['/accounts/%61', '/accounts/a'],
    ['/%61ccounts', '/accounts'],
    ['/external%0d%0aid-account:x', undefined],
    ['http://other.test/accounts', '/accounts'],
    ['http://other.test/auth/login/../../accounts', '/accounts'],
    ['*', undefined],
  ];

  it.each(tricks)('%s is secured', async (path) => {
    const answer = await stage.send(http(`GET ${path}`, [`id-account: ${VICTIM}`]));
    expect([400, 401]).toContain(answer.status);
    expect(answer.headers['content-type']).toBe('application/problem+json');
    expect(stage.reached()).toEqual([]);
  });

  it.each(tricks)('%s with a token goes where the gateway says, or to nobody', async (path, arrives) => {
    const answer = await stage.send(http(`GET ${path}`, [`id-account: ${VICTIM}`, `Cookie: ${COOKIE}`]));
    expect(stage.reached().map((request) => request.path)).toEqual(arrives === undefined ? [] : [arrives]);
    if (arrives === undefined) expect([400, 404]).toContain(answer.status);
    expectNoForgery();
  });

  it.each([
    '/accounts%2fx',
    '/auth%2Flogin',
    '/auth/login%2f..%2f..%2faccounts',
    '/auth/login%5c..%5caccounts',
    '/accounts/%00',
    '/accounts/\0',
    '/accounts#fragment',
    `/accounts/${'x'.repeat(70 * 1024)}`,
  ])('%.40s is refused', async (path) => {
    for (const method of ['GET', 'POST']) {
      const answer = await stage.send(http(`${method} ${path}`, [`Cookie: ${COOKIE}`, `id-account: ${VICTIM}`]));
      expect([400, 431]).toContain(answer.status);
      expect(answer.headers['content-type']).toBe('application/problem+json');
    }
    expect(stage.reached()).toEqual([]);
  });

  it.each([
    '//auth//login',
    '/auth/./login',
    '/auth/x/../login',
    '/auth/login?next=/accounts',
    '/accounts/../auth/login',
    '/auth/%6cogin',
  ])('%s is the open route itself', async (path) => {
    expect((await stage.send(http(`POST ${path}`, [`id-account: ${VICTIM}`]))).status).toBe(200);
    expect(stage.reached()).toMatchObject([{ service: 'auth', method: 'POST' }]);
    expect(stage.reached()[0]?.path.split('?')[0]).toBe('/auth/login');
    expectNoForgery();
  });

  it.each(['//accounts', '/auth/login/../../accounts', '/AUTH/login', '/auth/login;x', '/auth/login/'])(
    '%s over HTTP/2 is secured',
    async (path) => {
      const answer = await sendHttp2(stage.port, { ':method': 'POST', ':path': path, 'id-account': VICTIM });
      expect(answer.status).toBe(401);
      expect(stage.reached()).toEqual([]);
    },
  );

  it.each([
    ['GET', '/auth/login'],
    ['GET', '/auth/register'],
    ['HEAD', '/auth/logout'],
    ['POST', '/auth/logout'],
    ['POST', '/auth/solve'],
    ['post', '/auth/login'],
    ['OPTIONS', '/auth/login'],
    ['POST', '/'],
    ['DELETE', '/health-check'],
    ['TRACE', '/accounts'],
    ['CONNECT', 'accounts:80'],
  ])('%s %s is not in the open list', async (method, path) => {
    const { status } = await stage.send(http(`${method} ${path}`, [`id-account: ${VICTIM}`]));
    expect([400, 401]).toContain(status);
    expect(stage.reached()).toEqual([]);
  });
});

describe('no header steers the gateway', () => {
  it.each([
    'X-HTTP-Method-Override: POST',
    'X-HTTP-Method: POST',
    'X-Method-Override: POST',
    'x-envoy-original-path: /auth/login',
    'x-envoy-original-method: POST',
    'x-original-url: /auth/login',
    'x-rewrite-url: /auth/login',
    'x-forwarded-prefix: /auth/login',
    'x-envoy-internal: true',
    'x-forwarded-for: 127.0.0.1',
    'x-envoy-external-address: 127.0.0.1',
    'Authorization: Bearer forged',
    'Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABkAAQAAP__',
    'Origin: http://localhost:3000\r\nAccess-Control-Request-Method: GET',
  ])('%s: still 401', async (line) => {
    const answer = await stage.send(http('GET /auth/login', [line]));
    expect(answer.status).toBe(401);
    expect(JSON.parse(answer.body).instance).toBe('/auth/login');
    expect(stage.reached()).toEqual([]);
  });

  it('x-envoy-* headers of a client reach nobody', async () => {
    const lines = [
      'x-envoy-retry-on: 5xx',
      'x-envoy-max-retries: 9',
      'X-Envoy-Upstream-Rq-Timeout-Ms: 1',
      'x-envoy-xyz: 1',
    ];
    expect((await stage.send(http('GET /accounts', [...lines, `Cookie: ${COOKIE}`]))).status).toBe(200);
    const [request] = stage.reached();
    expect(request?.lines.filter((line) => /retry|max-retries|upstream-rq|xyz/i.test(line))).toEqual([]);
  });

  it('Authorization is what auth made of the token; on an open route it is left as it is', async () => {
    await stage.send(http('GET /accounts', ['Authorization: Bearer forged', `Cookie: ${COOKIE}`]));
    await stage.send(http('POST /auth/login', ['Authorization: Basic own']));
    expect(stage.reached().map(({ headers }) => headers.authorization)).toEqual([`Bearer ${TOKEN}`, 'Basic own']);
    expect(stage.checks().map(({ headers }) => headers.authorization)).toEqual([undefined]);
  });

  it.each([
    ['GET /accounts', ['Origin: http://evil.test', 'Access-Control-Request-Method: GET']],
    ['OPTIONS /accounts', ['Origin: http://evil.test', 'Access-Control-Request-Method: GET']],
    ['OPTIONS /accounts', ['Origin: http://evil.test']],
    ['OPTIONS /accounts', ['Access-Control-Request-Method: GET']],
    ['OPTIONS /nothing', []],
  ])('a preflight, or what looks like one, reaches no service: %s %j', async (firstLine, lines) => {
    await stage.send(http(firstLine, [...lines, `id-account: ${VICTIM}`]));
    expect(stage.reached()).toEqual([]);
    expect(stage.checks()).toEqual([]);
  });
});

describe('the token cookie', () => {
  const OTHER = '__store_jwt_token=other.token.x';

  it.each([
    ['none', []],
    ['of another name', ['Cookie: store_jwt_token=x']],
    ['of another case', [`Cookie: ${COOKIE.toUpperCase()}`]],
    ['empty', ['Cookie: __store_jwt_token=']],
    ['empty between others', ['Cookie: a=1; __store_jwt_token=; b=2']],
    ['empty in quotes', ['Cookie: __store_jwt_token=""']],
    ['blank', ['Cookie: __store_jwt_token=   ']],
    ['as the end of another name', [`Cookie: x${COOKIE}`]],
    ['as the value of another', [`Cookie: x=${COOKIE}`]],
  ])('%s: 401 without asking auth', async (_, lines) => {
    const answer = await stage.send(http('GET /accounts', lines));
    expect(answer.status).toBe(401);
    expect(JSON.parse(answer.body).detail).toBe('The token cookie is missing or empty. Log in first.');
    expect([...stage.checks(), ...stage.reached()]).toEqual([]);
  });

  it.each([
    ['in one header', [`Cookie: ${COOKIE}; ${OTHER}`]],
    ['in one header, the good one last', [`Cookie: ${OTHER}; ${COOKIE}`]],
    ['in two headers', [`Cookie: ${COOKIE}`, `Cookie: ${OTHER}`]],
    ['in two headers, the good one last', [`Cookie: ${OTHER}`, `cookie: ${COOKIE}`]],
    ['the same value', [`Cookie: ${COOKIE}; ${COOKIE}`]],
    ['the second quoted', [`Cookie: ${COOKIE}; __store_jwt_token="other.token.x"`]],
    ['the second empty', [`Cookie: ${COOKIE}; __store_jwt_token=`]],
    ['without blank between', [`Cookie: ${COOKIE};${OTHER}`]],
  ])('twice, %s: auth sees both and nothing gets through', async (_, lines) => {
    expect((await stage.send(http('GET /accounts', lines))).status).toBe(401);
    expect(stage.checks()[0]?.headers.cookie?.match(/__store_jwt_token=/g)).toHaveLength(2);
    expect(stage.reached()).toEqual([]);
  });

  it('twice over HTTP/2', async () => {
    const answer = await sendHttp2(stage.port, { ':path': '/accounts', cookie: [COOKIE, OTHER] });
    expect(answer.status).toBe(401);
    expect(stage.checks()[0]?.headers.cookie?.match(/__store_jwt_token=/g)).toHaveLength(2);
    expect(stage.reached()).toEqual([]);
  });

  it.each([
    ['alone', [`Cookie: ${COOKIE}`]],
    ['between others', [`Cookie: a=1; ${COOKIE}; b=2`]],
    ['in the second header', ['Cookie: a=1', `Cookie: ${COOKIE}`]],
    ['beside bytes that are no UTF-8', [`Cookie: a=\xe9; ${COOKIE}`]],
  ])('once, %s: the service gets the identity and the cookies', async (_, lines) => {
    expect((await stage.send(http('GET /accounts', lines))).status).toBe(200);
    expect(stage.reached()).toMatchObject([{ headers: { 'id-account': ACCOUNT, authorization: `Bearer ${TOKEN}` } }]);
    expect(stage.reached()[0]?.headers.cookie).toContain(COOKIE);
  });
});

describe('one request is one request', () => {
  const smuggled = `GET /accounts HTTP/1.1\r\nHost: x\r\nid-account: ${VICTIM}\r\nCookie: ${COOKIE}\r\n\r\n`;

  it.each([
    [
      'Content-Length and Transfer-Encoding',
      ['Content-Length: 4', 'Transfer-Encoding: chunked'],
      `0\r\n\r\n${smuggled}`,
    ],
    ['the other order', ['Transfer-Encoding: chunked', `Content-Length: ${smuggled.length}`], `0\r\n\r\n${smuggled}`],
    ['two lengths', ['Content-Length: 0', `Content-Length: ${smuggled.length}`], smuggled],
    ['a list of lengths', [`Content-Length: 0, ${smuggled.length}`], smuggled],
    ['a negative length', ['Content-Length: -1'], smuggled],
    ['a signed length', ['Content-Length: +0'], smuggled],
    ['a hexadecimal length', ['Content-Length: 0x0'], smuggled],
    ['an unknown encoding', ['Transfer-Encoding: xchunked'], `0\r\n\r\n${smuggled}`],
    ['two encodings', ['Transfer-Encoding: chunked', 'Transfer-Encoding: identity'], `0\r\n\r\n${smuggled}`],
    ['an encoding after a blank', ['Transfer-Encoding : chunked'], `0\r\n\r\n${smuggled}`],
    ['an encoding with a tab', ['Transfer-Encoding:\x0bchunked'], `0\r\n\r\n${smuggled}`],
    ['a broken chunk size', ['Transfer-Encoding: chunked'], `0x0\r\n\r\n${smuggled}`],
    ['an overflowing chunk size', ['Transfer-Encoding: chunked'], `10000000000000000\r\n${smuggled}`],
  ])('%s is refused and what follows is not read', async (_, lines, body) => {
    const answer = await stage.send(http('POST /auth/login', lines, body));
    expect([400, 501]).toContain(answer.status);
    expect(answer.headers).toMatchObject({ 'content-type': 'application/problem+json', connection: 'close' });
    expect(stage.reached()).toEqual([]);
  });

  it('a request behind another on the same connection is checked for itself', async () => {
    const login = http('POST /auth/login', ['Content-Length: 0']);
    await stage.send(Buffer.from(login + http('GET /accounts', [`id-account: ${VICTIM}`])));
    expect(stage.reached().filter(({ service }) => service !== 'auth')).toEqual([]);
  });
});
