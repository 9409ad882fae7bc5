import { type Customer, logIn, newCustomer, tokenCookie } from '../../kit/customer.ts';
import { createSend, type Send } from '../../kit/http.ts';
import { startTestStore, type TestStore, until } from '../_store.ts';

let store: TestStore;
let anonymous: Send;
let ada: Customer;

beforeAll(async () => {
  store = await startTestStore({ components: ['gateway', 'auth', 'account'] });
  anonymous = createSend(store.gatewayUrl);
}, 120_000);

beforeEach(async () => {
  ada = await newCustomer(anonymous);
});

afterAll(async () => {
  await store?.stop();
}, 60_000);

/** A secured request that needs auth alone. */
const solve = (cookie: string) =>
  anonymous('POST', '/auth/solve', { token: cookie.split('=')[1] }, { cookie }).then(({ status }) => status);

test('a copy of the token is of no use after the logout, nor after a restart of auth', async () => {
  expect(await solve(ada.cookie)).toBe(200);
  const logout = await ada.send('GET', '/auth/logout');
  expect(logout.status).toBe(200);
  expect(logout.headers.get('set-cookie')).toMatch(/^__store_jwt_token=;.*Max-Age=0/);
  for (const path of ['/accounts', `/accounts/${ada.accountId}`]) {
    const refused = await ada.send('GET', path);
    expect([refused.status, refused.body.detail]).toEqual([401, 'Invalid token']);
  }
  await store.component('auth').restart();
  const other = await logIn(anonymous, ada);
  expect([await solve(ada.cookie), await solve(other)]).toEqual([401, 200]);
});

test("DELETE /auth/sessions is secured and ends the caller's sessions, not others'", async () => {
  const stranger = await anonymous('DELETE', '/auth/sessions', undefined, { 'id-account': ada.accountId });
  expect(stranger.status).toBe(401);
  const [phone, bob] = [await logIn(anonymous, ada), await newCustomer(anonymous)];
  const ended = await ada.send('DELETE', '/auth/sessions', undefined, { 'id-account': bob.accountId });
  expect([ended.status, ended.text]).toEqual([204, '']);
  expect(ended.headers.get('set-cookie')).toMatch(/^__store_jwt_token=;.*Max-Age=0/);
  const next = await logIn(anonymous, ada);
  expect(await Promise.all([ada.cookie, phone, bob.cookie, next].map(solve))).toEqual([401, 401, 200, 200]);
  expect((await ada.send('DELETE', '/auth/sessions')).status).toBe(401);
});

test('a changed password ends the other sessions within a second; one of them can be ended alone', async () => {
  const [phone, tablet] = [await logIn(anonymous, ada), await logIn(anonymous, ada)];
  const { body: sessions } = await ada.send('GET', `/accounts/${ada.accountId}/sessions`);
  expect(sessions.map(({ current }: { current: boolean }) => current)).toEqual([false, false, true]);
  const last = await ada.send('DELETE', `/accounts/${ada.accountId}/sessions/${sessions[0].id}`);
  expect([last.status, ...(await Promise.all([tablet, phone].map(solve)))]).toEqual([204, 401, 200]);

  const body = { currentPassword: ada.password, newPassword: 'battery staple' };
  const changed = await ada.send('PUT', `/accounts/${ada.accountId}/password`, body);
  expect(changed.status).toBe(204);
  expect(await Promise.all([ada.cookie, phone, tokenCookie(changed.headers)].map(solve))).toEqual([401, 401, 200]);
  expect((await anonymous('POST', '/auth/login', { email: ada.email, password: ada.password })).status).toBe(401);
  await logIn(anonymous, { email: ada.email, password: 'battery staple' });
});

test('while the database is stopped tokens are checked, logout and login are 503, and auth started anew lets nobody through', async () => {
  const [ended, phone] = [await logIn(anonymous, ada), await logIn(anonymous, ada)];
  await anonymous('GET', '/auth/logout', undefined, { cookie: ended });
  await store.component('postgres').stop();
  try {
    expect(await Promise.all([ada.cookie, phone, ended].map(solve))).toEqual([200, 200, 401]);
    const attempts = [
      await ada.send('GET', '/auth/logout'),
      await ada.send('DELETE', '/auth/sessions'),
      await anonymous('POST', '/auth/login', { email: ada.email, password: ada.password }),
    ];
    for (const { status, headers, body } of attempts) {
      expect([status, headers.get('set-cookie'), body.type]).toEqual([503, null, 'urn:problem:store:database-away']);
      expect(headers.get('retry-after')).toMatch(/^\d+$/);
    }
    store.component('auth').kill('SIGKILL');
    await until('auth is started anew', async () => (await solve(ada.cookie)) === 503);
    expect(await solve(ended)).toBe(503);
  } finally {
    await store.component('postgres').restart();
  }
  await until('tokens are checked again', async () => (await solve(ada.cookie)) === 200);
  expect((await ada.send('GET', '/auth/logout')).status).toBe(200);
  expect(await Promise.all([ada.cookie, phone, ended].map(solve))).toEqual([401, 200, 401]);
});

test('guessing at one account ends in 429 with Retry-After, and leaves others and its sessions alone', async () => {
  const guess = (email: string) => anonymous('POST', '/auth/login', { email, password: crypto.randomUUID() });
  const bob = await newCustomer(anonymous);
  const answers = await Promise.all(Array.from({ length: 20 }, () => guess(ada.email)));
  expect(answers.filter(({ status }) => status === 401)).toHaveLength(10);
  const [refused] = answers.filter(({ status }) => status === 429);
  expect(refused?.headers.get('content-type')).toContain('application/problem+json');
  expect(refused?.headers.get('retry-after')).toMatch(/^\d+$/);
  expect(refused?.body.type).toBe('urn:problem:store:too-many-failures');
  expect(await solve(ada.cookie)).toBe(200);
  expect(await solve(await logIn(anonymous, bob))).toBe(200);
});
