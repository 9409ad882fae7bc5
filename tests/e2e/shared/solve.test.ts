import { newCustomer } from '../../kit/customer.ts';
import { createSend } from '../../kit/http.ts';
import { startTestStore, type TestStore } from '../_store.ts';

let store: TestStore;

beforeAll(async () => {
  store = await startTestStore({ components: ['gateway', 'auth', 'account'], gateway: { auth: { call: 'solve' } } });
}, 120_000);

afterAll(() => store?.stop(), 60_000);

test("auth answers the gateway's specified call: for a customer, and no longer after the logout", async () => {
  const anonymous = createSend(store.gatewayUrl);
  const ada = await newCustomer(anonymous);
  const own = await ada.send('GET', '/accounts');
  expect([own.status, own.body]).toMatchObject([200, [{ id: ada.accountId }]]);
  expect((await ada.send('GET', '/auth/logout')).status).toBe(200);
  expect((await ada.send('GET', '/accounts')).body).toMatchObject({ status: 401, detail: 'Invalid token' });
  const forged = { cookie: ada.cookie.replace(/.$/, '"\\') };
  expect((await anonymous('GET', '/accounts', undefined, forged)).status).toBe(401);
});
