import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { certificateFor } from '../kit/certificates.ts';
import { ACCOUNT, COOKIE, type Fixture, http, startFixture, TOKEN, VICTIM } from './_fixture.ts';
import { reply, type Seen, startUpstream, type Upstream } from './_upstream.ts';

const seen: Seen[] = [];
const record = (request: Seen) => seen.push(request);
let dir: string;
let trustedCa: string;
let site: Upstream;
let untrusted: Upstream;
let misnamed: Upstream;
let fixture: Fixture;

beforeAll(async () => {
  const [trusted, other, wrongName] = await Promise.all([
    certificateFor('localhost'),
    certificateFor('localhost'),
    certificateFor('elsewhere.test'),
  ]);
  dir = await mkdtemp(join(tmpdir(), 'external-test-'));
  trustedCa = join(dir, 'ca.pem');
  await writeFile(trustedCa, `${trusted.cert}\n${wrongName.cert}`);
  [site, untrusted, misnamed] = await Promise.all([
    startUpstream('site', record, trusted),
    startUpstream('untrusted', record, other),
    startUpstream('misnamed', record, wrongName),
  ]);
  fixture = await startFixture({ external: { url: `https://localhost:${site.port}`, trustedCa } });
});
afterAll(async () => {
  await fixture?.stop();
  await Promise.all([site, untrusted, misnamed].map((upstream) => upstream.down()));
  await rm(dir, { recursive: true });
});
beforeEach(() => {
  seen.length = 0;
});

const visit = (path: string, lines: string[] = [`Cookie: ${COOKIE}`], on = fixture) =>
  on.send(http(`GET ${path}`, lines));

test.each([
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

test('/external/** returns 401 without a valid token', async () => {
  expect((await visit('/external/x', [])).status).toBe(401);
  expect((await visit('/external/x', ['Cookie: __store_jwt_token=x'])).status).toBe(401);
  expect(seen).toEqual([]);
});

test.each([
  ['alone', [`Cookie: ${COOKIE}`], undefined],
  ['first', [`Cookie: ${COOKIE}; a=1; b="2"`], 'a=1; b="2"'],
  ['between others', [`Cookie: a=1; ${COOKIE}; b=2`], 'a=1; b=2'],
  ['last, without spaces', [`Cookie: a=1;b=2;${COOKIE}`], 'a=1;b=2'],
  ['in the second header', ['Cookie: a=1', `Cookie: ${COOKIE}`, 'Cookie: b=2'], 'a=1; b=2'],
  ['after a comma', [`Cookie: a=1, ${COOKIE}`], 'a=1'],
  ['between empty pairs', [`Cookie: ;; a=1;; ${COOKIE};;`], 'a=1;;;'],
])('the external site gets all cookies except the token cookie: %s', async (_, lines, cookie) => {
  expect((await visit('/external/x', [...lines, `id-account: ${VICTIM}`, 'Authorization: Bearer own'])).status).toBe(
    200,
  );
  expect(seen).toHaveLength(1);
  expect(seen[0]?.headers.cookie).toBe(cookie);
  expect(seen[0]?.headers).not.toHaveProperty('id-account');
  expect(seen[0]?.headers).not.toHaveProperty('authorization');
  expect(JSON.stringify(seen)).not.toContain(TOKEN);
  expect(JSON.stringify(seen)).not.toContain(ACCOUNT);
});

test('a Cookie header that names the token in another value too is removed entirely', async () => {
  await visit('/external/x', [`Cookie: ${COOKIE}; x=__store_jwt_token`]);
  expect(seen).toHaveLength(1);
  expect(seen[0]?.headers).not.toHaveProperty('cookie');
});

test.each([
  ['alone', 'console_session_8091=x', undefined],
  ['between others', 'a=1; console_session_8091=x; b=2', 'a=1; b=2'],
  ['twice, and of another port', 'console_session_8091=x; console_session_80=y; a=1', 'a=1'],
])("the console's cookie never arrives: %s", async (_, own, cookie) => {
  const external = { url: `https://localhost:${site.port}`, trustedCa, forwardIdentity: true };
  const gateway = await startFixture({ external });
  try {
    for (const [on, others] of [
      [fixture, cookie],
      [gateway, [cookie, COOKIE].filter(Boolean).join('; ')],
    ] as const) {
      seen.length = 0;
      await visit('/external/x', [`Cookie: ${own}; ${COOKIE}`], on);
      expect(seen).toHaveLength(1);
      expect(seen[0]?.headers.cookie).toBe(others);
    }
  } finally {
    await gateway.stop();
  }
});

describe('the external site cannot set the token cookie', () => {
  it.each([
    ['plain', '__store_jwt_token=forged; Path=/'],
    ['in another case', '__STORE_jwt_Token=forged'],
    ['after white space', ' \t __store_jwt_token=forged'],
    ['before white space', '__store_jwt_token \t=forged'],
    ['in quotes', '"__store_jwt_token"=forged'],
    ['empty', '__store_jwt_token=; Max-Age=0'],
    ['without =', '__store_jwt_token'],
    ['as the value of a cookie without a name, which browsers send alike', '=__store_jwt_token=forged'],
    ['as such a value, after white space', ' = __store_jwt_token=forged'],
  ])('%s', async (_, cookie) => {
    site.answer(reply(200, ['set-cookie: a=1', `Set-Cookie: ${cookie}`, 'set-cookie: b=2']));
    expect((await visit('/external/x')).headers['set-cookie']).toBe('a=1,b=2');
  });

  it('although its identity is forwarded', async () => {
    site.answer(reply(200, ['set-cookie: __store_jwt_token=forged', 'set-cookie: a=1']));
    const external = { url: `https://localhost:${site.port}/`, trustedCa, forwardIdentity: true };
    const gateway = await startFixture({ external });
    try {
      expect((await visit('/external/x', [`Cookie: ${COOKIE}`], gateway)).headers['set-cookie']).toBe('a=1');
      expect(seen).toMatchObject([{ headers: { cookie: COOKIE } }]);
    } finally {
      await gateway.stop();
    }
  });
});

test.each([
  '__Host-__store_jwt_token=1; Path=/; Secure',
  '__store_jwt_token2=1',
  'x__store_jwt_token=1',
  'a=__store_jwt_token=1',
  'store_jwt_token=1; HttpOnly',
])('the external site can set %s', async (cookie) => {
  site.answer(reply(200, [`set-cookie: ${cookie}`]));
  expect((await visit('/external/x')).headers['set-cookie']).toBe(cookie);
});

describe('what the external site answers', () => {
  it('is sandboxed beside its own policy, and cannot speak for the whole origin', async () => {
    const own = "content-security-policy: sandbox allow-scripts allow-same-origin; default-src 'self'";
    const forOrigin = [
      'Clear-Site-Data: "cookies"',
      'Strict-Transport-Security: max-age=1',
      'Service-Worker-Allowed: /',
    ];
    site.answer(reply(200, [own, ...forOrigin, 'cache-control: no-store']));
    const { headers } = await visit('/external/x');
    expect(headers['content-security-policy']).toBe(
      "sandbox allow-scripts allow-same-origin; default-src 'self',sandbox",
    );
    expect(headers).toMatchObject({ 'cache-control': 'no-store' });
    for (const name of ['clear-site-data', 'strict-transport-security', 'service-worker-allowed']) {
      expect(headers).not.toHaveProperty(name);
    }
  });

  it.each([
    ['has the policy of the value', 'sandbox allow-scripts', 'sandbox allow-scripts'],
    ['has no policy if the value is empty', '', undefined],
  ])('%s', async (_, contentSecurityPolicy, expected) => {
    site.answer(reply(200));
    const url = `https://localhost:${site.port}`;
    const gateway = await startFixture({ external: { url, trustedCa, contentSecurityPolicy } });
    try {
      expect((await visit('/external/x', [`Cookie: ${COOKIE}`], gateway)).headers['content-security-policy']).toBe(
        expected,
      );
    } finally {
      await gateway.stop();
    }
  });

  it('does not change the answers of services', async () => {
    fixture.services.account.answer(
      reply(200, ['set-cookie: __store_jwt_token=own', 'strict-transport-security: max-age=1']),
    );
    const { headers } = await visit('/accounts');
    expect(headers).toMatchObject({ 'set-cookie': '__store_jwt_token=own', 'strict-transport-security': 'max-age=1' });
    expect(headers).not.toHaveProperty('content-security-policy');
  });
});

test('forwardIdentity and stripPrefix make the external site get the identity and the full path', async () => {
  const external = { url: `https://localhost:${site.port}/`, trustedCa, forwardIdentity: true, stripPrefix: false };
  const gateway = await startFixture({ external });
  try {
    expect((await visit('/external/x', [`Cookie: a=1; ${COOKIE}`], gateway)).status).toBe(200);
    const headers = { cookie: `a=1; ${COOKIE}`, 'id-account': ACCOUNT, authorization: `Bearer ${TOKEN}` };
    expect(seen).toMatchObject([{ path: '/external/x', headers }]);
  } finally {
    await gateway.stop();
  }
});

test.each([
  ['by an unknown authority', () => untrusted],
  ['for another name', () => misnamed],
])('/external/** returns 503 when the site has a certificate %s', async (_, upstream) => {
  const gateway = await startFixture({ external: { url: `https://localhost:${upstream().port}`, trustedCa } });
  try {
    expect((await visit('/external/x', [`Cookie: ${COOKIE}`], gateway)).status).toBe(503);
    expect(seen).toEqual([]);
  } finally {
    await gateway.stop();
  }
});

test('the gateway starts when the host name of the external site cannot be resolved', async () => {
  const gateway = await startFixture({ external: { url: 'https://nowhere.invalid', trustedCa } });
  try {
    expect((await visit('/accounts', [`Cookie: ${COOKIE}`], gateway)).status).toBe(200);
    expect((await visit('/external/x', [`Cookie: ${COOKIE}`], gateway)).status).toBe(503);
  } finally {
    await gateway.stop();
  }
});
