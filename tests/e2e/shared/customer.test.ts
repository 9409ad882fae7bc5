import { randomUUID } from 'node:crypto';
import { newCustomer, newProduct } from '../../kit/customer.ts';
import { createSend } from '../../kit/http.ts';
import { queryOnce } from '../../kit/postgres/database.ts';
import { until } from '../../kit/until.ts';
import { sharedStore } from '../_shared-store.ts';

const store = sharedStore();
const anonymous = createSend(store.gatewayUrl);
const ada = await newCustomer(anonymous);

describe('a customer', () => {
  it('registers and logs in with a short password, as the specification has no rule', async () => {
    const grace = { name: 'Grace', email: `grace-${randomUUID()}@example.com`, password: 'secret' };
    expect((await anonymous('POST', '/auth/register', grace)).status).toBe(201);
    expect((await anonymous('POST', '/auth/login', grace)).status).toBe(200);
    const refused = await anonymous('POST', '/auth/register', { ...grace, password: '' });
    expect(refused.body.errors).toEqual([{ path: 'body.password', message: 'must have 1 to 128 characters' }]);
  });

  it('sees only their own account, and none without the token', async () => {
    const other = await newCustomer(anonymous);
    const accounts = await ada.send('GET', '/accounts');
    expect(accounts.body).toEqual([expect.objectContaining({ id: ada.accountId, email: ada.email, name: 'Ada' })]);
    expect((await ada.send('GET', `/accounts/${other.accountId}`)).status).toBe(404);
    const { status, headers } = await anonymous('GET', '/accounts');
    expect([status, headers.get('content-type')]).toEqual([401, expect.stringContaining('application/problem+json')]);
  });

  it('gets everything that services keep about the account, and no one else can', async () => {
    const [ada, bob] = [await newCustomer(anonymous), await newCustomer(anonymous)];
    const productId = await newProduct(ada);
    const shippingAddress = { name: 'Ada', lines: ['12 Rua Augusta'], city: 'Lisbon', country: 'PT' };
    const order = await ada.send('POST', '/orders', { items: [{ productId, quantity: 1 }], shippingAddress });
    expect((await ada.send('DELETE', `/orders/${order.body.id}`)).status).toBe(204);

    const path = `/accounts/${ada.accountId}/export`;
    const welcome = `select from notifications where customer_id = '${ada.accountId}' and kind = 'AccountRegistered'`;
    // Polls the database, because exports are limited (contract 4.3).
    await until(
      'the welcome message is stored',
      async () => (await queryOnce(store.databaseUrl('consumers'), welcome)).length > 0,
    );
    expect((await ada.send('GET', path)).body).toMatchObject({
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
});
