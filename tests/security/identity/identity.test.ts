import { withShortTitles } from '../../kit/cases.ts';
import {
  ACCOUNT,
  COOKIE,
  expectNoForgery,
  expectProblem,
  http,
  identities,
  TOKEN,
  useGateway,
  VICTIM,
} from '../_fixture.ts';
import { sendHttp2 } from '../_raw.ts';

describe.each(['check', 'solve'])('with gateway.auth.call %s', (call) => {
  const gateway = useGateway({ auth: { call } });

  describe('forged id-account', () => {
    const forged: [string, string[]][] = [
      ['plain', [`id-account: ${VICTIM}`]],
      ['other case', [`ID-ACCOUNT: ${VICTIM}`]],
      ['mixed case', [`Id-aCCount: ${VICTIM}`]],
      ['repeated', [`id-account: ${VICTIM}`, `id-account: ${VICTIM}`]],
      ['repeated in another case', [`id-account: ${VICTIM}`, `Id-Account: ${VICTIM}`]],
      ['list value', [`id-account: ${VICTIM}, ${VICTIM}`]],
      ['empty', ['id-account:']],
      ['empty, then set', ['id-account:', `id-account: ${VICTIM}`]],
      ['with white space', [`id-account: \t ${VICTIM} \t`]],
      ['named in Connection', [`id-account: ${VICTIM}`, 'Connection: id-account']],
      ['named in Connection beside keep-alive', [`id-account: ${VICTIM}`, 'Connection: keep-alive, Id-Account']],
      ['named in TE and Trailer', [`id-account: ${VICTIM}`, 'TE: trailers', 'Trailer: id-account']],
    ];

    it.each(forged)('is removed on every route, and does not replace a token: %s', async (_, lines) => {
      for (const line of ['POST /auth/login', 'GET /auth/logout', 'GET /accounts', 'POST /auth/solve']) {
        gateway.clear();
        expect((await gateway.askAsCustomer(line, lines)).status).toBe(200);
        expect(gateway.reached()).toHaveLength(1);
        expectNoForgery(gateway);
      }
      gateway.clear();
      expect((await gateway.ask('POST /auth/login', lines)).status).toBe(200);
      expectNoForgery(gateway);
      gateway.clear();
      expect((await gateway.ask('GET /accounts', lines)).status).toBe(401);
      expect(gateway.reached()).toEqual([]);
    });

    it.each([
      ['underscore', `id_account: ${VICTIM}`],
      ['underscore, other case', `ID_Account: ${VICTIM}`],
      ['space before the colon', `id-account : ${VICTIM}`],
      ['NUL in the name', `id-account\0: ${VICTIM}`],
      ['NUL in the value', `id-account: \0${VICTIM}`],
    ])('is rejected with 400 if malformed: %s', async (_, line) => {
      for (const path of ['GET /accounts', 'POST /auth/login']) {
        expectProblem(await gateway.askAsCustomer(path, [line]), 400);
      }
      expect(gateway.reached()).toEqual([]);
    });

    it.each([
      ['line folding', `X-A: 1\r\n id-account: ${VICTIM}`],
      ['a lone carriage return', `X-A: 1\rid-account: ${VICTIM}`],
      ['a lone line feed', `X-A: 1\nid-account: ${VICTIM}`],
      ['a doubled carriage return', `X-A: 1\r\r\nid-account: ${VICTIM}`],
    ])('is part of the previous header or removed after %s', async (_, line) => {
      for (const path of ['POST /accounts', 'POST /auth/login']) {
        gateway.clear();
        expect((await gateway.askAsCustomer(path, [line])).status).toBe(200);
        expect(gateway.reached().flatMap(identities)).toEqual(gateway.checks().map(() => `id-account: ${ACCOUNT}`));
      }
    });

    it.each(['POST /auth/login', 'POST /accounts'])('is removed from the trailers of %s', async (firstLine) => {
      const lines = ['Transfer-Encoding: chunked', 'Trailer: id-account'];
      const chunks = `2\r\n{}\r\n0\r\nid-account: ${VICTIM}\r\n\r\n`;
      expect((await gateway.askAsCustomer(firstLine, lines, chunks)).status).toBe(200);
      expect(gateway.reached()).toMatchObject([{ body: '{}' }]);
      expectNoForgery(gateway);
    });

    it('is removed over HTTP/2, as a repeated header and as a trailer', async () => {
      const request = { ':method': 'POST', ':path': '/accounts', cookie: COOKIE, 'id-account': [VICTIM, VICTIM] };
      const response = await sendHttp2(gateway.port, request, { body: '{}', trailers: { 'id-account': VICTIM } });
      expect(response.status).toBe(200);
      expect(gateway.reached()).toHaveLength(1);
      expectNoForgery(gateway);
    });

    it('is rejected over HTTP/2 if spelled with an underscore', async () => {
      const { status } = await sendHttp2(gateway.port, { ':path': '/accounts', cookie: COOKIE, id_account: VICTIM });
      expect([0, 400]).toContain(status);
      expect(gateway.reached()).toEqual([]);
    });
  });

  const overrides = [
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
  ];
  it.each(withShortTitles(overrides, 60))('%s does not bypass authentication', async (_, line) => {
    expectProblem(await gateway.ask('GET /auth/login', [line]), 401, { instance: '/auth/login' });
    expect(gateway.reached()).toEqual([]);
  });

  it('x-envoy-* is not forwarded to services', async () => {
    const names = ['x-envoy-retry-on', 'x-envoy-max-retries', 'X-Envoy-Upstream-Rq-Timeout-Ms', 'x-envoy-xyz'];
    const lines = names.map((name) => `${name}: 9`);
    expect((await gateway.askAsCustomer('GET /accounts', lines)).status).toBe(200);
    const [request] = gateway.reached();
    expect(request?.lines.filter((line) => /retry|max-retries|upstream-rq|xyz/i.test(line))).toEqual([]);
  });

  it('Authorization is replaced on secured routes and forwarded unchanged on open ones', async () => {
    await gateway.askAsCustomer('GET /accounts', ['Authorization: Bearer forged']);
    await gateway.ask('POST /auth/login', ['Authorization: Basic own']);
    expect(gateway.reached().map(({ headers }) => headers.authorization)).toEqual([`Bearer ${TOKEN}`, 'Basic own']);
  });

  it.each([
    ['GET /accounts', ['Origin: http://evil.test', 'Access-Control-Request-Method: GET']],
    ['OPTIONS /accounts', ['Origin: http://evil.test', 'Access-Control-Request-Method: GET']],
    ['OPTIONS /accounts', ['Origin: http://evil.test']],
    ['OPTIONS /accounts', ['Access-Control-Request-Method: GET']],
    ['OPTIONS /nothing', []],
  ])('a preflight, complete or not, lets no request through: %s %j', async (firstLine, lines) => {
    await gateway.ask(firstLine, [...lines, `id-account: ${VICTIM}`]);
    expect(gateway.seen).toEqual([]);
  });

  describe('request smuggling', () => {
    const smuggled = `GET /accounts HTTP/1.1\r\nHost: x\r\nid-account: ${VICTIM}\r\nCookie: ${COOKIE}\r\n\r\n`;
    const chunked = 'Transfer-Encoding: chunked';
    const afterChunks = `0\r\n\r\n${smuggled}`;

    it.each([
      ['Content-Length and Transfer-Encoding', ['Content-Length: 4', chunked], afterChunks],
      ['Transfer-Encoding and Content-Length', [chunked, `Content-Length: ${smuggled.length}`], afterChunks],
      ['two lengths', ['Content-Length: 0', `Content-Length: ${smuggled.length}`], smuggled],
      ['a list of lengths', [`Content-Length: 0, ${smuggled.length}`], smuggled],
      ['a negative length', ['Content-Length: -1'], smuggled],
      ['a signed length', ['Content-Length: +0'], smuggled],
      ['a hexadecimal length', ['Content-Length: 0x0'], smuggled],
      ['an unknown encoding', ['Transfer-Encoding: xchunked'], afterChunks],
      ['two encodings', [chunked, 'Transfer-Encoding: identity'], afterChunks],
      ['a space after Transfer-Encoding', ['Transfer-Encoding : chunked'], afterChunks],
      ['a vertical tab before the encoding', ['Transfer-Encoding:\x0bchunked'], afterChunks],
      ['a broken chunk size', [chunked], `0x0\r\n\r\n${smuggled}`],
      ['an overflowing chunk size', [chunked], `10000000000000000\r\n${smuggled}`],
    ])('is rejected and ends the connection: %s', async (_, lines, body) => {
      const answer = await gateway.ask('POST /auth/login', lines, body);
      expectProblem(answer, [400, 501]);
      expect(answer.headers).toMatchObject({ connection: 'close' });
      expect(gateway.reached()).toEqual([]);
    });

    it('does not let a pipelined request skip the token check', async () => {
      const login = http('POST /auth/login', ['Content-Length: 0']);
      await gateway.send(login + http('GET /accounts', [`id-account: ${VICTIM}`]));
      expect(gateway.reached().filter(({ service }) => service !== 'auth')).toEqual([]);
    });
  });
});
