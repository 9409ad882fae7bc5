import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { certificateFor } from '../kit/certificates.ts';
import { useFolder } from '../kit/folder.ts';
import { ACCOUNT, COOKIE, TOKEN, useGateway, VICTIM, withGateway } from './_fixture.ts';
import { reply, startUpstream } from './_upstream.ts';

const dir = useFolder();
const trustedCa = join(dir, 'ca.pem');
const certificates = await Promise.all(
  ['localhost', 'localhost', 'elsewhere.test'].map((name) => certificateFor(name)),
);
const [trusted, , wrongName] = certificates;
await writeFile(trustedCa, `${trusted?.cert}\n${wrongName?.cert}`);
const sites = await Promise.all(certificates.map((certificate) => startUpstream('site', { certificate })));
const [site, untrusted, misnamed] = sites as [(typeof sites)[0], (typeof sites)[0], (typeof sites)[0]];
const { seen } = site;
const url = `https://localhost:${site.port}`;
afterAll(() => Promise.all(sites.map((one) => one.down())));

const gateway = useGateway({ external: { url, trustedCa } });
beforeEach(() => {
  seen.splice(0);
  site.answer();
});

const visit = (path = '/external/x', lines?: string[], on = gateway) => on.askAsCustomer(`GET ${path}`, lines);

it.each([
  ['/external', '/'],
  ['/external/', '/'],
  ['/external?a=b', '/?a=b'],
  ['/external/page/1?a=/external/', '/page/1?a=/external/'],
  ['/external/external/x', '/external/x'],
  ['//external//x', '/x'],
  ['/external/y/../x', '/x'],
])('the gateway forwards %s to the external site as %s', async (path, forwardedPath) => {
  site.answer(reply(200, ['x-site: yes'], 'page'));
  expect(await visit(path)).toMatchObject({ status: 200, body: 'page', headers: { 'x-site': 'yes' } });
  expect(seen).toMatchObject([{ path: forwardedPath, headers: { host: `localhost:${site.port}` } }]);
});

it('/external/** returns 401 without a valid token', async () => {
  for (const lines of [[], ['Cookie: __store_jwt_token=x']]) {
    expect((await gateway.ask('GET /external/x', lines)).status).toBe(401);
  }
  expect(seen).toEqual([]);
});

it('an API key does not reach the external site, whatever its scopes', async () => {
  gateway.auth.answer(reply(200, [`id-account: ${ACCOUNT}`, 'account-scopes: orders:read,orders:write']));
  const { status, body } = await visit('/external/x', ['account-scopes:']);
  expect([status, JSON.parse(body).detail]).toEqual([
    403,
    'API keys cannot be used for another site, whatever their scopes. Log in instead.',
  ]);
  expect(seen).toEqual([]);
  gateway.auth.answer(reply(200, [`id-account: ${ACCOUNT}`]));
  expect((await visit('/external/x', ['account-scopes: orders:read'])).status).toBe(200);
});

it.each([
  ['alone', [`Cookie: ${COOKIE}`], undefined],
  ['first', [`Cookie: ${COOKIE}; a=1; b="2"`], 'a=1; b="2"'],
  ['between others', [`Cookie: a=1; ${COOKIE}; b=2`], 'a=1; b=2'],
  ['last, without spaces', [`Cookie: a=1;b=2;${COOKIE}`], 'a=1;b=2'],
  ['in the second header', ['Cookie: a=1', `Cookie: ${COOKIE}`, 'Cookie: b=2'], 'a=1; b=2'],
  ['after a comma', [`Cookie: a=1, ${COOKIE}`], 'a=1'],
  ['between empty pairs', [`Cookie: ;; a=1;; ${COOKIE};;`], 'a=1;;;'],
  ['and its name in another value: none', [`Cookie: ${COOKIE}; x=__store_jwt_token`], undefined],
])('the external site gets all cookies except the token cookie: %s', async (_, lines, cookie) => {
  const others = [`id-account: ${VICTIM}`, 'Authorization: Bearer own'];
  expect((await gateway.ask('GET /external/x', [...lines, ...others])).status).toBe(200);
  expect(seen.map(({ headers }) => headers.cookie)).toEqual([cookie]);
  expect(JSON.stringify(seen)).not.toMatch(new RegExp(`${TOKEN}|${ACCOUNT}|id-account|authorization`, 'i'));
});

it.each([
  ['plain', '__store_jwt_token=forged; Path=/'],
  ['in another case', '__STORE_jwt_Token=forged'],
  ['after white space', ' \t __store_jwt_token=forged'],
  ['before white space', '__store_jwt_token \t=forged'],
  ['in quotes', '"__store_jwt_token"=forged'],
  ['empty', '__store_jwt_token=; Max-Age=0'],
  ['without =', '__store_jwt_token'],
  ['as the value of a cookie without a name, which browsers send in the same form', '=__store_jwt_token=forged'],
  ['as the value of a cookie without a name, after white space', ' = __store_jwt_token=forged'],
])('the external site cannot set the token cookie: %s', async (_, cookie) => {
  site.answer(reply(200, ['set-cookie: a=1', `Set-Cookie: ${cookie}`, 'set-cookie: b=2']));
  expect((await visit()).headers['set-cookie']).toBe('a=1,b=2');
});

it.each([
  '__Host-__store_jwt_token=1; Path=/; Secure',
  '__store_jwt_token2=1',
  'x__store_jwt_token=1',
  'a=__store_jwt_token=1',
  'store_jwt_token=1; HttpOnly',
])('the external site can set %s', async (cookie) => {
  site.answer(reply(200, [`set-cookie: ${cookie}`]));
  expect((await visit()).headers['set-cookie']).toBe(cookie);
});

it('the external site is sandboxed in addition to its own policy, and cannot set headers for the whole origin', async () => {
  const own = "sandbox allow-scripts allow-same-origin; default-src 'self'";
  const forOrigin = ['Clear-Site-Data: "cookies"', 'Strict-Transport-Security: max-age=1', 'Service-Worker-Allowed: /'];
  site.answer(reply(200, [`content-security-policy: ${own}`, ...forOrigin, 'cache-control: no-store']));
  const { headers } = await visit();
  expect(headers).toMatchObject({ 'content-security-policy': `${own},sandbox`, 'cache-control': 'no-store' });
  expect(Object.keys(headers).join()).not.toMatch(/clear-site-data|strict-transport|service-worker/);
});

it('services may send the headers that the external site must not', async () => {
  const own = { 'set-cookie': '__store_jwt_token=own', 'strict-transport-security': 'max-age=1' };
  const lines = Object.entries(own).map(([name, value]) => `${name}: ${value}`);
  gateway.services.account.answer(reply(200, lines));
  const { headers } = await visit('/accounts');
  expect(headers).toMatchObject(own);
  expect(headers).not.toHaveProperty('content-security-policy');
});

describe('with the identity forwarded and another policy', () => {
  const contentSecurityPolicy = 'sandbox allow-scripts';
  const other = useGateway({ external: { url, trustedCa, forwardIdentity: true, contentSecurityPolicy } });

  it('the external site still cannot set the token cookie', async () => {
    site.answer(reply(200, ['set-cookie: __store_jwt_token=forged', 'set-cookie: a=1']));
    const { headers } = await visit('/external/x', [], other);
    expect(headers).toMatchObject({ 'set-cookie': 'a=1', 'content-security-policy': contentSecurityPolicy });
    expect(seen).toMatchObject([{ headers: { cookie: COOKIE } }]);
  });

  it.each([
    ['alone', 'console_session_8091=x', undefined],
    ['between others', 'a=1; console_session_8091=x; b=2', 'a=1; b=2'],
    ['twice, and of another port', 'console_session_8091=x; console_session_80=y; a=1', 'a=1'],
  ])("the console's cookie never arrives: %s", async (_, own, cookie) => {
    for (const on of [gateway, other]) await on.ask('GET /external/x', [`Cookie: ${own}; ${COOKIE}`]);
    expect(seen.map(({ headers }) => headers.cookie)).toEqual([cookie, [cookie, COOKIE].filter(Boolean).join('; ')]);
  });
});

// To the letter of the specification (contract 2.8)
describe('with stripPrefix false, forwardIdentity, removeHeaders false and no policy, the external site', () => {
  const values = { stripPrefix: false, forwardIdentity: true, contentSecurityPolicy: '', removeHeaders: false };
  const letter = useGateway({ external: { url, trustedCa, ...values } });
  const body = Buffer.from([...Array(256).keys()]).toString('latin1');

  it('gets the path, the identity and the body as sent', async () => {
    const lines = [`Cookie: a=1; ${COOKIE}`, `id-account: ${VICTIM}`, 'X-Own: 1', `Content-Length: ${body.length}`];
    expect((await letter.ask('POST /external/page/1?a=/external/&b=%20', lines, body)).status).toBe(200);
    const identity = { cookie: `a=1; ${COOKIE}`, 'id-account': ACCOUNT, authorization: `Bearer ${TOKEN}` };
    const headers = { ...identity, 'x-own': '1', host: `localhost:${site.port}` };
    expect(seen).toMatchObject([{ method: 'POST', path: '/external/page/1?a=/external/&b=%20', headers, body }]);
  });

  it.each([200, 404, 401, 500])('answers %i byte for byte, with all its headers', async (status) => {
    const sent = {
      'clear-site-data': '"cookies"',
      'strict-transport-security': 'max-age=1',
      'service-worker-allowed': '/',
      'alt-svc': 'h3=":443"',
      nel: '{}',
      'report-to': '{"group":"a"}',
      'content-security-policy': "default-src 'self'",
      'set-cookie': '__store_jwt_token=own; Path=/',
      server: 'own/1.0',
      date: 'Sun, 06 Nov 1994 08:49:37 GMT',
      via: '1.1 own',
      etag: '"1"',
      'cache-control': 'no-store',
      'content-type': 'application/octet-stream',
      'www-authenticate': 'Basic realm="own"',
      'x-powered-by': 'own',
    };
    const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}`);
    site.answer(reply(status, lines, body));
    expect(await visit('/external/x', [], letter)).toMatchObject({ status, body, headers: sent });
  });
});

it.each([
  ['has a certificate from an unknown authority', `https://localhost:${untrusted.port}`],
  ['has a certificate for another name', `https://localhost:${misnamed.port}`],
  ['has a name that cannot be resolved', 'https://nowhere.invalid'],
])('/external/** is 503 if the site %s, and the gateway serves all other routes', (_, elsewhere) =>
  withGateway({ external: { url: elsewhere, trustedCa } }, async (other) => {
    expect((await visit('/external/x', [], other)).status).toBe(503);
    expect((await visit('/accounts', [], other)).status).toBe(200);
    expect(sites.flatMap((one) => one.seen)).toEqual([]);
  }),
);

it.each([
  ['the named authorities', trusted, wrongName],
  ['authorities of its own', wrongName, trusted],
])('/external/** is verified by %s if the gateway has both', async (_, named, own) => {
  const files = ['named.pem', 'own.pem'].map((name) => join(dir, name));
  await Promise.all([named, own].map((one, at) => writeFile(files[at] ?? '', one?.cert ?? '')));
  const [file, value = ''] = files;
  const external = { url: `https://localhost:${site.port}`, trustedCa: file };
  await withGateway({ external, extraEnv: [{ name: 'EXTRA_CA_CERTS', value }] }, async (other) => {
    expect((await visit('/external/x', [], other)).status).toBe(200);
  });
});

it('there is no such route, and no lookup of a site, if the site is empty', async () => {
  await withGateway({ external: { url: '' } }, async (closed) => {
    expect((await closed.askAsCustomer('GET /external/x')).status).toBe(404);
    expect((await closed.ask('GET /external/x')).status).toBe(401);
    expect(await closed.metrics()).not.toContain('envoy_cluster_name="external"');
  });
});
