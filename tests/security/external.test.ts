import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { ACCOUNT, COOKIE, type Fixture, http, startFixture, TOKEN, VICTIM } from './_fixture.ts';
import { reply, type Seen, startUpstream, type Upstream } from './_upstream.ts';

/** A certificate for these names, which is its own authority. */
async function certificateFor(...names: string[]) {
  const altNames = names.map((value) => ({ type: 2 as const, value }));
  const { private: key, cert } = await generate([{ name: 'commonName', value: names.join() }], {
    keyType: 'ec',
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames },
    ],
  });
  return { key, cert };
}

const seen: Seen[] = [];
const write = (request: Seen) => seen.push(request);
let dir: string;
let trustedCa: string;
let site: Upstream;
let stranger: Upstream;
let misnamed: Upstream;
let fixture: Fixture;

beforeAll(async () => {
  const [known, other, wrongName] = await Promise.all([
    certificateFor('localhost'),
    certificateFor('localhost'),
    certificateFor('elsewhere.test'),
  ]);
  dir = await mkdtemp(join(tmpdir(), 'external-test-'));
  trustedCa = join(dir, 'ca.pem');
  await writeFile(trustedCa, `${known.cert}\n${wrongName.cert}`);
  [site, stranger, misnamed] = await Promise.all([
    startUpstream('site', write, known),
    startUpstream('stranger', write, other),
    startUpstream('misnamed', write, wrongName),
  ]);
  fixture = await startFixture({ external: { url: `https://localhost:${site.port}`, trustedCa } });
});
afterAll(async () => {
  await fixture?.stop();
  await Promise.all([site, stranger, misnamed].map((upstream) => upstream.down()));
  await rm(dir, { recursive: true });
});
beforeEach(() => {
  seen.length = 0;
});

const visit = (path: string, lines: string[] = [`Cookie: ${COOKIE}`], on = fixture) =>
  on.send(http(`GET ${path}`, lines));

it.each([
  ['/external', '/'],
  ['/external/', '/'],
  ['/external?a=b', '/?a=b'],
  ['/external/page/1?a=/external/', '/page/1?a=/external/'],
  ['/external/external/x', '/external/x'],
  ['//external//x', '/x'],
  ['/external/y/../x', '/x'],
])('%s is the page %s of the site', async (path, arrives) => {
  site.answer(reply(200, ['x-site: yes'], 'page'));
  expect(await visit(path)).toMatchObject({ status: 200, body: 'page', headers: { 'x-site': 'yes' } });
  expect(seen).toMatchObject([{ path: arrives, headers: { host: `localhost:${site.port}` } }]);
});

it('is secured like the rest', async () => {
  expect((await visit('/external/x', [])).status).toBe(401);
  expect((await visit('/external/x', ['Cookie: __store_jwt_token=x'])).status).toBe(401);
  expect(seen).toEqual([]);
});

it.each([
  ['alone', [`Cookie: ${COOKIE}`], undefined],
  ['first', [`Cookie: ${COOKIE}; a=1; b="2"`], 'a=1; b="2"'],
  ['between', [`Cookie: a=1; ${COOKIE}; b=2`], 'a=1; b=2'],
  ['last, no blanks', [`Cookie: a=1;b=2;${COOKIE}`], 'a=1;b=2'],
  ['in the second header', ['Cookie: a=1', `Cookie: ${COOKIE}`, 'Cookie: b=2'], 'a=1; b=2'],
  ['behind a comma', [`Cookie: a=1, ${COOKIE}`], 'a=1'],
  ['with empty pieces', [`Cookie: ;; a=1;; ${COOKIE};;`], 'a=1;;;'],
])('the token cookie %s is removed, the others pass', async (_, lines, cookie) => {
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

it('a cookie that still names the token is dropped whole', async () => {
  await visit('/external/x', [`Cookie: ${COOKIE}; x=__store_jwt_token`]);
  expect(seen).toHaveLength(1);
  expect(seen[0]?.headers).not.toHaveProperty('cookie');
});

it('forwardIdentity and stripPrefix change both', async () => {
  const external = { url: `https://localhost:${site.port}/`, trustedCa, forwardIdentity: true, stripPrefix: false };
  const open = await startFixture({ external });
  try {
    expect((await visit('/external/x', [`Cookie: a=1; ${COOKIE}`], open)).status).toBe(200);
    const headers = { cookie: `a=1; ${COOKIE}`, 'id-account': ACCOUNT, authorization: `Bearer ${TOKEN}` };
    expect(seen).toMatchObject([{ path: '/external/x', headers }]);
  } finally {
    await open.stop();
  }
});

it.each([
  ['by an unknown authority', () => stranger],
  ['for another name', () => misnamed],
])('a certificate %s is not believed: 503', async (_, upstream) => {
  const wary = await startFixture({ external: { url: `https://localhost:${upstream().port}`, trustedCa } });
  try {
    expect((await visit('/external/x', [`Cookie: ${COOKIE}`], wary)).status).toBe(503);
    expect(seen).toEqual([]);
  } finally {
    await wary.stop();
  }
});

it('a site whose name is unknown does not keep the store from starting', async () => {
  const alone = await startFixture({ external: { url: 'https://nowhere.invalid', trustedCa } });
  try {
    expect((await visit('/accounts', [`Cookie: ${COOKIE}`], alone)).status).toBe(200);
    expect((await visit('/external/x', [`Cookie: ${COOKIE}`], alone)).status).toBe(503);
  } finally {
    await alone.stop();
  }
});
