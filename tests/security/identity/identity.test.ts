import { withShortTitles } from '../../kit/cases.ts';
import {
  ACCOUNT,
  COOKIE,
  expectNoForgery,
  type Fixture,
  http,
  identities,
  startUnlimited,
  TOKEN,
  VICTIM,
} from '../_fixture.ts';
import { sendHttp2 } from '../_raw.ts';

describe.each(['check', 'solve'] as const)('with gateway.auth.call %s', (call) => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await startUnlimited({ auth: { call } });
  });
  afterAll(() => fixture?.stop());
  beforeEach(() => fixture.clear());

  describe('forged id-account', () => {
    const forged: Record<string, string[]> = {
      plain: [`id-account: ${VICTIM}`],
      'other case': [`ID-ACCOUNT: ${VICTIM}`],
      'mixed case': [`Id-aCCount: ${VICTIM}`],
      repeated: [`id-account: ${VICTIM}`, `id-account: ${VICTIM}`],
      'repeated in another case': [`id-account: ${VICTIM}`, `Id-Account: ${VICTIM}`],
      'list value': [`id-account: ${VICTIM}, ${VICTIM}`],
      empty: ['id-account:'],
      'empty, then set': ['id-account:', `id-account: ${VICTIM}`],
      'with white space': [`id-account: \t ${VICTIM} \t`],
      'named in Connection': [`id-account: ${VICTIM}`, 'Connection: id-account'],
      'named in Connection beside keep-alive': [`id-account: ${VICTIM}`, 'Connection: keep-alive, Id-Account'],
      'named in TE and Trailer': [`id-account: ${VICTIM}`, 'TE: trailers', 'Trailer: id-account'],
    };
    const routes = [
      ['open', 'POST /auth/login', []],
      ['open, with the token cookie', 'GET /auth/logout', [`Cookie: ${COOKIE}`]],
      ['secured', 'GET /accounts', [`Cookie: ${COOKIE}`]],
      ['secured, to auth', 'POST /auth/solve', [`Cookie: ${COOKIE}`]],
    ] as const;
    const cases = Object.entries(forged).flatMap(([spelling, lines]) =>
      routes.map(([route, firstLine, cookie]) => ({ spelling, route, firstLine, lines: [...lines, ...cookie] })),
    );

    it.each(cases)('is removed: $spelling, on a route that is $route', async ({ firstLine, lines }) => {
      const { status } = await fixture.send(http(firstLine, lines));
      expect(status).toBe(200);
      expect(fixture.reached()).toHaveLength(1);
      expectNoForgery(fixture);
    });

    it.each(Object.entries(forged))('does not replace a token: %s', async (_, lines) => {
      expect((await fixture.send(http('GET /accounts', lines))).status).toBe(401);
      expect(fixture.reached()).toEqual([]);
    });

    it.each([
      ['underscore', `id_account: ${VICTIM}`],
      ['underscore, other case', `ID_Account: ${VICTIM}`],
      ['space before the colon', `id-account : ${VICTIM}`],
      ['NUL in the name', `id-account\0: ${VICTIM}`],
      ['NUL in the value', `id-account: \0${VICTIM}`],
    ])('is rejected with 400 when malformed: %s', async (_, line) => {
      for (const firstLine of ['GET /accounts', 'POST /auth/login']) {
        const { status, headers } = await fixture.send(http(firstLine, [line, `Cookie: ${COOKIE}`]));
        expect(status).toBe(400);
        expect(headers['content-type']).toBe('application/problem+json');
      }
      expect(fixture.reached()).toEqual([]);
    });

    it.each([
      ['line folding', `X-A: 1\r\n id-account: ${VICTIM}`],
      ['a lone carriage return', `X-A: 1\rid-account: ${VICTIM}`],
      ['a lone line feed', `X-A: 1\nid-account: ${VICTIM}`],
      ['a doubled carriage return', `X-A: 1\r\r\nid-account: ${VICTIM}`],
    ])('is part of the previous header or removed after %s', async (_, line) => {
      for (const firstLine of ['POST /accounts', 'POST /auth/login']) {
        fixture.clear();
        expect((await fixture.send(http(firstLine, [line, `Cookie: ${COOKIE}`]))).status).toBe(200);
        expect(fixture.reached().flatMap(identities)).toEqual(fixture.checks().map(() => `id-account: ${ACCOUNT}`));
      }
    });

    it.each(['POST /auth/login', 'POST /accounts'])('is removed from the trailers of %s', async (firstLine) => {
      const trailer = `2\r\n{}\r\n0\r\nid-account: ${VICTIM}\r\n\r\n`;
      const lines = ['Transfer-Encoding: chunked', 'Trailer: id-account', `Cookie: ${COOKIE}`];
      expect((await fixture.send(http(firstLine, lines) + trailer)).status).toBe(200);
      expect(fixture.reached()).toMatchObject([{ body: '{}' }]);
      expectNoForgery(fixture);
    });

    it('is removed over HTTP/2, as a repeated header and as a trailer', async () => {
      const request = { ':method': 'POST', ':path': '/accounts', cookie: COOKIE, 'id-account': [VICTIM, VICTIM] };
      const response = await sendHttp2(fixture.port, request, { body: '{}', trailers: { 'id-account': VICTIM } });
      expect(response.status).toBe(200);
      expect(fixture.reached()).toHaveLength(1);
      expectNoForgery(fixture);
    });

    it('is rejected over HTTP/2 when spelled with an underscore', async () => {
      const response = await sendHttp2(fixture.port, { ':path': '/accounts', cookie: COOKIE, id_account: VICTIM });
      expect([0, 400]).toContain(response.status);
      expect(fixture.reached()).toEqual([]);
    });
  });

  describe('client header', () => {
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
      const response = await fixture.send(http('GET /auth/login', [line]));
      expect(response.status).toBe(401);
      expect(JSON.parse(response.body).instance).toBe('/auth/login');
      expect(fixture.reached()).toEqual([]);
    });

    it('x-envoy-* is not forwarded to services', async () => {
      const lines = [
        'x-envoy-retry-on: 5xx',
        'x-envoy-max-retries: 9',
        'X-Envoy-Upstream-Rq-Timeout-Ms: 1',
        'x-envoy-xyz: 1',
      ];
      expect((await fixture.send(http('GET /accounts', [...lines, `Cookie: ${COOKIE}`]))).status).toBe(200);
      const [request] = fixture.reached();
      expect(request?.lines.filter((line) => /retry|max-retries|upstream-rq|xyz/i.test(line))).toEqual([]);
    });

    it('Authorization is replaced on secured routes and forwarded unchanged on open ones', async () => {
      await fixture.send(http('GET /accounts', ['Authorization: Bearer forged', `Cookie: ${COOKIE}`]));
      await fixture.send(http('POST /auth/login', ['Authorization: Basic own']));
      expect(fixture.reached().map(({ headers }) => headers.authorization)).toEqual([`Bearer ${TOKEN}`, 'Basic own']);
      expect(fixture.checks().map(({ headers }) => headers.authorization)).toEqual([undefined]);
    });

    it.each([
      ['GET /accounts', ['Origin: http://evil.test', 'Access-Control-Request-Method: GET']],
      ['OPTIONS /accounts', ['Origin: http://evil.test', 'Access-Control-Request-Method: GET']],
      ['OPTIONS /accounts', ['Origin: http://evil.test']],
      ['OPTIONS /accounts', ['Access-Control-Request-Method: GET']],
      ['OPTIONS /nothing', []],
    ])('in a preflight, complete or not, lets no request through: %s %j', async (firstLine, lines) => {
      await fixture.send(http(firstLine, [...lines, `id-account: ${VICTIM}`]));
      expect(fixture.reached()).toEqual([]);
      expect(fixture.checks()).toEqual([]);
    });
  });
});
