import { X509Certificate } from 'node:crypto';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { certificateFor } from '../../kit/certificates.ts';
import { ACCOUNT, COOKIE, http, TOKEN, useGateway, VICTIM } from '../_fixture.ts';
import { sendHttp2 } from '../_raw.ts';
import { reply } from '../_upstream.ts';
import { handshake, name, openHttp2, sendHttps } from './_tls.ts';

const certificate = await certificateFor(name);
const ca = certificate.cert;
const gateway = useGateway({ tls: { hstsSeconds: 31536000 } }, certificate);

describe('HTTPS', () => {
  const get = (path: string, headers: Record<string, string> = {}) =>
    sendHttps(gateway.httpsPort, { ca, path, headers });

  it('is served over HTTP/1.1 and HTTP/2, and services learn about it only from the gateway', async () => {
    const headers = { cookie: COOKIE, 'x-forwarded-proto': 'http' };
    expect((await get('/accounts', headers)).status).toBe(200);
    const session = openHttp2(gateway.httpsPort, ca);
    const { status } = await sendHttp2(session, { ':path': '/accounts', ...headers });
    expect({ status, alpn: session.alpnProtocol }).toEqual({ status: 200, alpn: 'h2' });
    const seen = { headers: { 'id-account': ACCOUNT, 'x-forwarded-proto': 'https' } };
    expect(gateway.reached()).toMatchObject([seen, seen]);
  });

  it.each([
    ['TLS 1.2', { maxVersion: 'TLSv1.2' } as const, 'TLSv1.2'],
    ['TLS 1.3', { minVersion: 'TLSv1.3' } as const, 'TLSv1.3'],
    ['forward secrecy', { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-GCM-SHA256' } as const, 'TLSv1.2'],
  ])('takes %s', async (_, options, protocol) => {
    const { fingerprint256: fingerprint } = new X509Certificate(ca);
    expect(await handshake(gateway.httpsPort, { ca, ...options })).toEqual({ alpn: false, protocol, fingerprint });
  });

  it.each([
    ['TLS 1.1', { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL@SECLEVEL=0' } as const],
    ['CBC', { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA' } as const],
  ])('refuses %s', async (_, options) => {
    await expect(handshake(gateway.httpsPort, { ca, ...options })).rejects.toThrow();
  });

  it('closes a connection that speaks plain HTTP, without an answer', async () => {
    const socket = connect({ port: gateway.httpsPort, host: '127.0.0.1' });
    socket.write(http('GET /accounts', [`Cookie: ${COOKIE}`]));
    expect(await text(socket)).not.toContain('HTTP/1');
    expect(gateway.reached()).toEqual([]);
  });

  it("has the gateway's Strict-Transport-Security, and no other, in every answer", async () => {
    gateway.services.account.answer(reply(200, ['strict-transport-security: max-age=1']));
    const answers = [await get('/accounts', { cookie: COOKIE }), await get('/accounts'), await get('/health-check')];
    expect(answers.map(({ status }) => status)).toEqual([200, 401, 200]);
    for (const { headers } of answers) expect(headers['strict-transport-security']).toBe('max-age=31536000');
  });
});

describe('plain HTTP beside HTTPS', () => {
  it.each(['GET /accounts?a=b', 'POST /orders', 'POST /auth/login', 'DELETE /nothing'])(
    'is redirected with its method and reaches nothing: %s',
    async (firstLine) => {
      const { status, headers } = await gateway.askAsCustomer(firstLine, ['Content-Length: 0']);
      expect([status, headers.location]).toEqual([308, `https://store.test${firstLine.split(' ')[1]}`]);
      expect(headers).not.toHaveProperty('strict-transport-security');
      expect(gateway.seen).toEqual([]);
    },
  );

  it('is also redirected over HTTP/2', async () => {
    const answer = await sendHttp2(gateway.port, { ':path': '/orders', ':authority': name, cookie: COOKIE });
    expect(answer).toMatchObject({ status: 308, headers: { location: 'https://store.test/orders' } });
    expect(gateway.seen).toEqual([]);
  });

  it.each([
    ['a forwarded host', '/', ['X-Forwarded-Host: evil.test', 'X-Forwarded-Proto: https']],
    ['a path that looks like a host', '//evil.test/x', []],
  ])('is redirected to the requested host, whatever %s says', async (_, path, lines) => {
    const { headers } = await gateway.ask(`GET ${path}`, lines);
    expect(new URL(headers.location ?? '').host).toBe(name);
  });

  it.each([
    ['101 headers', Array.from({ length: 101 }, (_, i) => `X-${i}: x`), 431],
    ['an underscore in a name', ['id_account: x'], 400],
  ])('has the same limits as HTTPS: %s', async (_, lines, status) => {
    expect((await gateway.ask('GET /', lines)).status).toBe(status);
  });
});

describe('plain HTTP with another public port', () => {
  const other = useGateway({ tls: { publicPort: 30443 } }, certificate);

  it.each(['store.test', 'store.test:8080'])('is redirected to that port from %s', async (host) => {
    const { headers } = await other.send(`GET /x HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    expect(headers.location).toBe('https://store.test:30443/x');
  });
});

describe('plain HTTP that is off', () => {
  const other = useGateway({ tls: { redirectHttp: false } }, certificate);

  it('is refused while HTTPS is served', async () => {
    expect((await sendHttps(other.httpsPort, { ca, path: '/health-check' })).status).toBe(200);
    await expect(other.ask('GET /health-check')).rejects.toThrow('the connection was closed after ""');
  });
});

describe('HTTP/2 over TLS', () => {
  const send = (headers: Record<string, string | string[]>, body?: string) =>
    sendHttp2(openHttp2(gateway.httpsPort), { ':path': '/accounts', ...headers }, { body });

  it.each([
    ['between others', ['a=1', COOKIE, 'b=2']],
    ['last', ['a=1', 'b=2', COOKIE]],
  ])(
    'cookies in several fields are joined before the check (RFC 9113, 8.2.3), with the token %s',
    async (_, cookies) => {
      expect((await send({ cookie: cookies })).status).toBe(200);
      const cookie = cookies.join('; ');
      expect(gateway.checks()).toMatchObject([{ headers: { cookie } }]);
      expect(gateway.reached()).toMatchObject([{ headers: { cookie, 'id-account': ACCOUNT } }]);
    },
  );

  it.each([
    ['two tokens', [COOKIE, 'a=1', '__store_jwt_token=other.token.x'], 1],
    ['the token and a longer copy', [COOKIE, `${COOKIE}x`], 1],
    ['an empty token after it', [COOKIE, '__store_jwt_token='], 1],
    ['a name and its value, split', ['__store_jwt_token', `=${TOKEN}`], 0],
    ['a name split in two', ['__store_jwt', `_token=${TOKEN}`], 0],
  ])('cookies in several fields are 401 if they are %s', async (_, cookie, checks) => {
    expect((await send({ cookie })).status).toBe(401);
    expect(gateway.seen).toHaveLength(checks);
    expect(gateway.reached()).toEqual([]);
  });

  it.each([
    ['an authority with user information', { ':authority': 'store.test@evil.test' }],
    ['an authority with a path', { ':authority': 'store.test/auth/login?' }],
    ['an authority with a space', { ':authority': 'store.test evil.test' }],
    ['a host beside another authority', { ':authority': name, host: 'evil.test' }],
    ['an empty authority', { ':authority': '' }],
    ['a path without a slash', { ':path': 'accounts' }],
    ['a whole URL as path', { ':path': 'https://store.test/auth/login' }],
    ['a path with a line break', { ':path': '/auth/login%0d%0aid-account:x' }],
    ['CONNECT', { ':method': 'CONNECT', ':path': undefined, ':scheme': undefined }],
    ['another scheme', { ':scheme': 'file' }],
    ['plain HTTP as scheme', { ':scheme': 'http' }],
  ])('a request that only HTTP/2 can express gets no further than others without a token: %s', async (_, headers) => {
    const given = { ':authority': name, ...headers } as Record<string, string>;
    const { status } = await send(given);
    expect([0, 400, 401, 403]).toContain(status);
    expect(gateway.seen).toEqual([]);
  });

  it.each([
    ['0', `GET /accounts HTTP/1.1\r\nhost: x\r\nid-account: ${VICTIM}\r\n\r\n`],
    ['100', 'x'],
  ])('a body that contradicts its content-length of %s reaches no service', async (length, body) => {
    const login = { ':method': 'POST', ':path': '/auth/login', 'content-length': length };
    expect((await send(login, body)).status).not.toBe(200);
    expect(gateway.reached()).toEqual([]);
  });

  it.each([
    ['101 headers', Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`x-${i}`, 'x']))],
    ['headers of 16 KiB', { 'x-a': 'x'.repeat(16 * 1024) }],
  ])('%s are refused', async (_, headers) => {
    expect([0, 431]).toContain((await send({ cookie: COOKIE, ...headers })).status);
    expect(gateway.reached()).toEqual([]);
  });
});

describe('with the PROXY protocol in front', () => {
  const behindBalancer = useGateway({ proxyProtocol: true }, certificate);

  it('the port of the startup probe serves HTTPS with the certificate and needs no PROXY header', async () => {
    const { status } = await sendHttps(behindBalancer.insidePort, { ca, path: '/health-check' });
    expect(status).toBe(200);
    await expect(sendHttps(behindBalancer.httpsPort, { ca, path: '/health-check' })).rejects.toThrow();
  });
});
