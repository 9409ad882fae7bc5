import { type Customer, logIn, newCustomer, tokenCookie } from '../../kit/customer.ts';
import { createSend, withCookie } from '../../kit/http.ts';
import { sharedStore, startSharedGateway } from '../_shared-store.ts';

// Through the gateway. services/auth/test covers replicas, restarts and an unavailable database.

const anonymous = createSend(sharedStore().gatewayUrl);
let ada: Customer;
beforeEach(async () => {
  ada = await newCustomer(anonymous);
});

/** A secured request that needs only auth. */
const solve = (cookie: string) =>
  anonymous('POST', '/auth/solve', { token: cookie.split('=')[1] }, { cookie }).then(({ status }) => status);

it('a copy of the token is rejected after the logout', async () => {
  expect(await solve(ada.cookie)).toBe(200);
  const logout = await ada.send('GET', '/auth/logout');
  expect(logout.status).toBe(200);
  expect(logout.headers.get('set-cookie')).toMatch(/^__store_jwt_token=;.*(Max-Age=0|Expires=Thu, 01 Jan 1970)/);
  for (const path of ['/accounts', `/accounts/${ada.accountId}`]) {
    const { status, body, headers } = await ada.send('GET', path);
    expect([status, body.detail]).toEqual([401, 'Invalid token']);
    expect(headers.get('content-type')).toContain('application/problem+json');
  }
  const other = await logIn(anonymous, ada);
  expect([await solve(ada.cookie), await solve(other)]).toEqual([401, 200]);
});

it("DELETE /auth/sessions is secured and ends only the caller's sessions", async () => {
  const stranger = await anonymous('DELETE', '/auth/sessions', undefined, { 'id-account': ada.accountId });
  expect(stranger.status).toBe(401);
  const [phone, bob] = [await logIn(anonymous, ada), await newCustomer(anonymous)];
  const ended = await ada.send('DELETE', '/auth/sessions', undefined, { 'id-account': bob.accountId });
  expect([ended.status, ended.text]).toEqual([204, '']);
  expect(ended.headers.get('set-cookie')).toMatch(/^__store_jwt_token=;.*Max-Age=0/);
  const next = await logIn(anonymous, ada);
  expect(await Promise.all([ada.cookie, phone, bob.cookie, next].map(solve))).toEqual([401, 401, 200, 200]);
});

it('a password change ends the other sessions within a second, and a single session can be ended', async () => {
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

it("auth answers the gateway's specified call for a customer until the logout", async () => {
  const { url } = await startSharedGateway({ auth: { call: 'solve' } });
  const send = withCookie(createSend(url), ada.cookie);
  const own = await send('GET', '/accounts');
  expect([own.status, own.body]).toMatchObject([200, [{ id: ada.accountId }]]);
  expect((await send('GET', '/auth/logout')).status).toBe(200);
  expect((await send('GET', '/accounts')).body).toMatchObject({ status: 401, detail: 'Invalid token' });
  const forged = ada.cookie.replace(/.$/, '"\\');
  expect((await send('GET', '/accounts', undefined, { cookie: forged })).status).toBe(401);
});
