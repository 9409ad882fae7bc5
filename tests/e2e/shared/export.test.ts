import { newCustomer, newProduct } from '../../kit/customer.ts';
import { createSend } from '../../kit/http.ts';
import { until } from '../../kit/until.ts';
import { sharedStore } from '../_shared-store.ts';

const anonymous = createSend(sharedStore().gatewayUrl);

test('a customer gets everything that all services keep about the account, and nobody else does', async () => {
  const [ada, bob] = [await newCustomer(anonymous), await newCustomer(anonymous)];
  const productId = await newProduct(ada);
  const shippingAddress = { name: 'Ada', lines: ['12 Rua Augusta'], city: 'Lisbon', country: 'PT' };
  const order = await ada.send('POST', '/orders', { items: [{ productId, quantity: 1 }], shippingAddress });
  expect((await ada.send('DELETE', `/orders/${order.body.id}`)).status).toBe(204);

  const path = `/accounts/${ada.accountId}/export`;
  const read = async () => (await ada.send('GET', path)).body;
  await until('the welcome is there', async () => (await read()).messages.length > 0);
  expect(await read()).toMatchObject({
    account: { id: ada.accountId, email: ada.email },
    access: [{ roles: [], sessions: [{ userAgent: expect.any(String) }] }],
    orders: [{ id: order.body.id, status: 'CANCELLED', shippingAddress, deletedAt: expect.any(String) }],
    payments: [],
    reservations: [],
    invoices: [],
    messages: [{ kind: 'AccountRegistered', customerId: ada.accountId }],
  });
  expect((await bob.send('GET', path)).status).toBe(404);
  expect((await anonymous('GET', path)).status).toBe(401);
  expect((await ada.send('GET', '/internal/account-data')).status).toBe(404);
});
