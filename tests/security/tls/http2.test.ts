import { certificateFor } from '../../kit/certificates.ts';
import { until } from '../../kit/until.ts';
import { ACCOUNT, COOKIE, expectNoForgery, VICTIM } from '../_fixture.ts';
import { sendHttp2 } from '../_raw.ts';
import { floodHttp2 } from '../load/_flood.ts';
import { name, openHttp2, startTls, type TlsFixture } from './_tls.ts';

// HTTP/2 over TLS. The other tests of this folder ask over HTTP/1.1, or HTTP/2 without TLS.

let fixture: TlsFixture;
beforeAll(async () => {
  fixture = await startTls(await certificateFor(name));
});
afterAll(() => fixture?.stop());
beforeEach(() => fixture.clear());

const send = (headers: Record<string, string | string[]>, rest: { body?: string } = {}) =>
  sendHttp2(openHttp2(fixture.httpsPort), { ':path': '/accounts', ...headers }, rest);

describe('cookies in several fields (RFC 9113, 8.2.3)', () => {
  it.each([
    ['between others', ['a=1', COOKIE, 'b=2']],
    ['last', ['a=1', 'b=2', COOKIE]],
  ])('are joined before the token check, the token cookie %s', async (_, cookie) => {
    expect((await send({ cookie })).status).toBe(200);
    expect(fixture.checks()[0]?.headers.cookie).toBe(cookie.join('; '));
    expect(fixture.reached()).toMatchObject([{ headers: { cookie: cookie.join('; '), 'id-account': ACCOUNT } }]);
  });

  it.each([
    ['two tokens', [COOKIE, 'a=1', '__store_jwt_token=other.token.x']],
    ['the token twice', [COOKIE, COOKIE]],
    ['an empty one after it', [COOKIE, '__store_jwt_token=']],
  ])('%s are 401', async (_, cookie) => {
    expect((await send({ cookie })).status).toBe(401);
    expect(fixture.reached()).toEqual([]);
  });

  it.each([
    ['a name and its value', ['__store_jwt_token', `=${COOKIE.split('=')[1]}`]],
    ['a name in two', ['__store_jwt', `_token=${COOKIE.split('=')[1]}`]],
  ])('are no token cookie if they split %s', async (_, cookie) => {
    expect((await send({ cookie })).status).toBe(401);
    expect([...fixture.checks(), ...fixture.reached()]).toEqual([]);
  });
});

describe('identity', () => {
  it.each([
    ['plain', { 'id-account': VICTIM }],
    ['repeated', { 'id-account': [VICTIM, VICTIM] }],
    ['beside the pseudo-headers of another request', { 'id-account': VICTIM, 'x-http-method-override': 'GET' }],
  ])('a forged header is removed: %s', async (_, headers) => {
    expect((await send({ cookie: COOKIE, ...headers })).status).toBe(200);
    expect(fixture.reached()).toHaveLength(1);
    expectNoForgery(fixture);
  });

  it.each(['authorization', 'x-forwarded-proto', 'x-request-id'])('a client does not choose %s', async (header) => {
    expect((await send({ cookie: COOKIE, [header]: VICTIM })).status).toBe(200);
    expect(fixture.reached()[0]?.headers[header]).not.toContain(VICTIM);
  });
});

describe('requests that no other protocol has', () => {
  it.each([
    ['an authority with user information', { ':authority': 'store.test@evil.test' }],
    ['an authority with a path', { ':authority': 'store.test/auth/login?' }],
    ['an authority with a space', { ':authority': 'store.test evil.test' }],
    ['a host beside another authority', { ':authority': 'store.test', host: 'evil.test' }],
    ['an empty authority', { ':authority': '' }],
    ['a path without a slash', { ':path': 'accounts' }],
    ['a whole URL as path', { ':path': 'https://store.test/auth/login' }],
    ['a path with a line break', { ':path': '/auth/login%0d%0aid-account:x' }],
    [
      'CONNECT',
      { ':method': 'CONNECT', ':path': undefined as unknown as string, ':scheme': undefined as unknown as string },
    ],
    ['another scheme', { ':scheme': 'file' }],
    ['plain HTTP as scheme', { ':scheme': 'http' }],
  ])('get no further than others without a token: %s', async (_, headers) => {
    const { status } = await send({ ':authority': name, ...headers }).catch(() => ({ status: 0 }));
    expect([0, 400, 401, 403]).toContain(status);
    expect([...fixture.checks(), ...fixture.reached()]).toEqual([]);
  });

  it('a body longer or shorter than its content-length reaches nothing as a request of its own', async () => {
    for (const [length, body] of [
      ['0', `GET /accounts HTTP/1.1\r\nhost: x\r\nid-account: ${VICTIM}\r\n\r\n`],
      ['100', 'x'],
    ]) {
      const request = { ':method': 'POST', ':path': '/auth/login', 'content-length': String(length) };
      expect((await send(request, { body: String(body) })).status).not.toBe(200);
    }
    expect(fixture.reached()).toEqual([]);
  });

  it('transfer-encoding is refused', async () => {
    const request = { ':method': 'POST', ':path': '/auth/login', 'transfer-encoding': 'chunked' };
    const answer = await send(request, { body: '0\r\n\r\n' }).catch(() => ({ status: 0 }));
    expect([0, 400]).toContain(answer.status);
    expect(fixture.reached()).toEqual([]);
  });
});

describe('limits', () => {
  it.each([
    ['101 headers', Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`x-${i}`, 'x']))],
    ['headers of 16 KiB', { 'x-a': 'x'.repeat(16 * 1024) }],
    ['61 KiB of cookies', { cookie: Array.from({ length: 61 }, (_, i) => `c${i}=${'x'.repeat(1024)}`) }],
  ])('%s are refused', async (_, headers) => {
    expect([0, 431]).toContain((await send({ cookie: COOKIE, ...headers })).status);
    expect(fixture.reached()).toEqual([]);
  });

  it('streams that are reset at once end the connection (CVE-2023-44487)', async () => {
    const headers = { ':method': 'GET', ':path': '/accounts', cookie: COOKIE };
    const open = () => openHttp2(fixture.httpsPort);
    const attack = await floodHttp2(open, { sessions: 2, streams: 2000, resets: true }, headers, '');
    try {
      // Node.js does not notice the end of such a connection over TLS.
      const metrics = async () => (await fetch(`http://127.0.0.1:${fixture.metricsPort}/metrics`)).text();
      const closed = /^envoy_http_downstream_rq_too_many_premature_resets\{.*"store"\} 2$/m;
      await until('the connections are closed', async () => closed.test(await metrics()));
    } finally {
      attack.stop();
    }
    expect((await send({ cookie: COOKIE })).status).toBe(200);
  });
});
