import { X509Certificate } from 'node:crypto';
import { connect } from 'node:net';
import { certificateFor } from '../../kit/certificates.ts';
import { ACCOUNT, COOKIE, http } from '../_fixture.ts';
import { sendHttp2 } from '../_raw.ts';
import { reply } from '../_upstream.ts';
import { handshake, name, openHttp2, sendHttps, startTls, type TlsFixture } from './_tls.ts';

const certificate = await certificateFor(name);
const ca = certificate.cert;

describe('HTTPS', () => {
  let fixture: TlsFixture;
  beforeAll(async () => {
    fixture = await startTls(certificate, { tls: { hstsSeconds: 31536000 } });
  });
  afterAll(() => fixture?.stop());
  beforeEach(() => fixture.clear());

  const get = (path: string, headers: Record<string, string> = {}) =>
    sendHttps({ port: fixture.httpsPort, ca, path, headers });

  it('is served over HTTP/1.1 and HTTP/2, and services learn of it from the gateway alone', async () => {
    const headers = { cookie: COOKIE, 'x-forwarded-proto': 'http' };
    expect((await get('/accounts', headers)).status).toBe(200);
    const session = openHttp2(fixture.httpsPort, ca);
    const answer = await sendHttp2(session, { ':path': '/accounts', ...headers });
    expect({ status: answer.status, alpn: session.alpnProtocol }).toEqual({ status: 200, alpn: 'h2' });
    const seen = { 'id-account': ACCOUNT, 'x-forwarded-proto': 'https' };
    expect(fixture.reached()).toMatchObject([{ headers: seen }, { headers: seen }]);
  });

  it.each([
    ['TLS 1.2', { maxVersion: 'TLSv1.2' } as const, 'TLSv1.2'],
    ['TLS 1.3', { minVersion: 'TLSv1.3' } as const, 'TLSv1.3'],
    [
      'a cipher with forward secrecy',
      { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-GCM-SHA256' } as const,
      'TLSv1.2',
    ],
  ])('takes %s', async (_, options, protocol) => {
    expect(await handshake(fixture.httpsPort, { ca, ...options })).toEqual({
      alpn: false,
      protocol,
      fingerprint: new X509Certificate(ca).fingerprint256,
    });
  });

  it.each([
    ['TLS 1.1', { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL@SECLEVEL=0' } as const],
    ['CBC', { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA' } as const],
  ])('refuses %s', async (_, options) => {
    await expect(handshake(fixture.httpsPort, { ca, ...options })).rejects.toThrow();
  });

  it('closes a connection that speaks plain HTTP, without an answer', async () => {
    const socket = connect({ port: fixture.httpsPort, host: '127.0.0.1' });
    socket.write(http('GET /accounts', [`Cookie: ${COOKIE}`]));
    let received = '';
    for await (const data of socket) received += data.toString('latin1');
    expect(received).not.toContain('HTTP/1');
    expect(fixture.reached()).toEqual([]);
  });

  it('has Strict-Transport-Security in every answer, the own ones included, and no other', async () => {
    fixture.services.account.answer(reply(200, ['strict-transport-security: max-age=1']));
    const answers = [await get('/accounts', { cookie: COOKIE }), await get('/accounts'), await get('/health-check')];
    expect(answers.map(({ status }) => status)).toEqual([200, 401, 200]);
    for (const { headers } of answers) expect(headers['strict-transport-security']).toBe('max-age=31536000');
  });
});

describe('plain HTTP beside HTTPS', () => {
  let fixture: TlsFixture;
  beforeAll(async () => {
    fixture = await startTls(certificate);
  });
  afterAll(() => fixture?.stop());
  beforeEach(() => fixture.clear());

  it.each(['GET /accounts?a=b', 'POST /orders', 'POST /auth/login', 'DELETE /nothing'])(
    'is redirected with its method and reaches nothing: %s',
    async (firstLine) => {
      const { status, headers } = await fixture.send(http(firstLine, [`Cookie: ${COOKIE}`, 'Content-Length: 0']));
      expect(status).toBe(308);
      expect(headers.location).toBe(`https://store.test${firstLine.split(' ')[1]}`);
      expect(headers).not.toHaveProperty('strict-transport-security');
      expect([...fixture.checks(), ...fixture.reached()]).toEqual([]);
    },
  );

  it('is redirected over HTTP/2, too', async () => {
    const answer = await sendHttp2(fixture.port, { ':path': '/orders', ':authority': 'store.test', cookie: COOKIE });
    expect(answer).toMatchObject({ status: 308, headers: { location: 'https://store.test/orders' } });
    expect([...fixture.checks(), ...fixture.reached()]).toEqual([]);
  });

  it.each([
    ['a forwarded host', ['X-Forwarded-Host: evil.test', 'X-Forwarded-Proto: https'], '/'],
    ['a path that looks like a host', [], '//evil.test/x'],
  ])('is redirected to the host that was asked, whatever %s says', async (_, lines, path) => {
    const { headers } = await fixture.send(http(`GET ${path}`, lines));
    expect(new URL(headers.location ?? '').host).toBe('store.test');
  });

  it('is limited as HTTPS is', async () => {
    const many = Array.from({ length: 101 }, (_, i) => `X-${i}: x`);
    expect((await fixture.send(http('GET /', many))).status).toBe(431);
    expect((await fixture.send(http('GET /', ['id_account: x']))).status).toBe(400);
  });
});

it.each([
  ['without a port', 'store.test'],
  ['with the port of plain HTTP', 'store.test:8080'],
])('plain HTTP is redirected to the public port: asked for %s', async (_, host) => {
  const fixture = await startTls(certificate, { tls: { publicPort: 30443 } });
  try {
    const { headers } = await fixture.send(`GET /x HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    expect(headers.location).toBe('https://store.test:30443/x');
  } finally {
    await fixture.stop();
  }
});

it('plain HTTP can be off', async () => {
  const fixture = await startTls(certificate, { tls: { redirectHttp: false } });
  try {
    expect((await sendHttps({ port: fixture.httpsPort, ca, path: '/health-check' })).status).toBe(200);
    await expect(fixture.send(http('GET /health-check'))).rejects.toThrow('the connection was closed after ""');
  } finally {
    await fixture.stop();
  }
});
