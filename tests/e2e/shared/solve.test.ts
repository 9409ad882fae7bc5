import { newCustomer } from '../../kit/customer.ts';
import { createSend } from '../../kit/http.ts';
import { startSharedGateway } from '../_shared-store.ts';

const gateway = await startSharedGateway({ auth: { call: 'solve' } });

test("auth answers the gateway's specified call: for a customer, and no longer after the logout", async () => {
  const anonymous = createSend(gateway.url);
  const ada = await newCustomer(anonymous);
  const own = await ada.send('GET', '/accounts');
  expect([own.status, own.body]).toMatchObject([200, [{ id: ada.accountId }]]);
  expect((await ada.send('GET', '/auth/logout')).status).toBe(200);
  expect((await ada.send('GET', '/accounts')).body).toMatchObject({ status: 401, detail: 'Invalid token' });
  const forged = { cookie: ada.cookie.replace(/.$/, '"\\') };
  expect((await anonymous('GET', '/accounts', undefined, forged)).status).toBe(401);
});
