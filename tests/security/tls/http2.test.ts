import { certificateFor } from '../../kit/certificates.ts';
import { ACCOUNT, COOKIE, TOKEN, useGateway, VICTIM } from '../_fixture.ts';
import { sendHttp2 } from '../_raw.ts';
import { name, openHttp2 } from './_tls.ts';

// HTTP/2 over TLS. The other tests of this folder ask over HTTP/1.1, or HTTP/2 without TLS.

const gateway = useGateway({}, await certificateFor(name));

const send = (headers: Record<string, string | string[]>, body?: string) =>
  sendHttp2(openHttp2(gateway.httpsPort), { ':path': '/accounts', ...headers }, { body });

it.each([
  ['between others', ['a=1', COOKIE, 'b=2']],
  ['last', ['a=1', 'b=2', COOKIE]],
])('cookies in several fields are joined before the check (RFC 9113, 8.2.3), the token %s', async (_, cookies) => {
  expect((await send({ cookie: cookies })).status).toBe(200);
  const cookie = cookies.join('; ');
  expect(gateway.checks()).toMatchObject([{ headers: { cookie } }]);
  expect(gateway.reached()).toMatchObject([{ headers: { cookie, 'id-account': ACCOUNT } }]);
});

it.each([
  ['two tokens', [COOKIE, 'a=1', '__store_jwt_token=other.token.x'], 1],
  ['the token twice', [COOKIE, COOKIE], 1],
  ['an empty one after it', [COOKIE, '__store_jwt_token='], 1],
  ['a name and its value, split', ['__store_jwt_token', `=${TOKEN}`], 0],
  ['a name in two', ['__store_jwt', `_token=${TOKEN}`], 0],
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
])('a request that no other protocol has gets no further than others without a token: %s', async (_, headers) => {
  const given = { ':authority': name, ...headers } as Record<string, string>;
  const { status } = await send(given);
  expect([0, 400, 401, 403]).toContain(status);
  expect(gateway.seen).toEqual([]);
});

it.each([
  ['0', `GET /accounts HTTP/1.1\r\nhost: x\r\nid-account: ${VICTIM}\r\n\r\n`],
  ['100', 'x'],
])('a body that is not as long as its content-length of %s reaches nothing', async (length, body) => {
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
