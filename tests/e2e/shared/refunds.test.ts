import { randomUUID } from 'node:crypto';
import { type Customer, newCustomer, newProduct } from '../../kit/customer.ts';
import { createSend, withCookie } from '../../kit/http.ts';
import { queryOnce } from '../../kit/postgres/database.ts';
import { sharedStore } from '../_shared-store.ts';
import { until } from '../_store.ts';

// Refunds (contract 4.18) through the gateway, with services that check tokens themselves, as in production.

const store = sharedStore();
const anonymous = createSend(store.gatewayUrl);
const [ada, bob, olga] = [await newCustomer(anonymous), await newCustomer(anonymous), await newCustomer(anonymous)];
const reason = 'It arrived broken.';

async function makeOperator({ accountId }: Customer) {
  const authorization = `Bearer ${store.credential}`;
  const path = `/internal/accounts/${accountId}/roles`;
  const answer = await createSend(store.url('auth'))('PUT', path, { roles: ['operator'] }, { authorization });
  expect(answer.status).toBe(200);
}

/** An order whose payment is stored as the provider's answer would store it: this store has no order-worker. */
async function paidOrder() {
  const productId = await newProduct(ada);
  const { body } = await ada.send('POST', '/orders', { items: [{ productId, quantity: 2 }] });
  const { amount, currency } = body.total;
  await queryOnce(
    store.databaseUrl('payment'),
    `insert into payments (order_id, customer_id, status, amount, currency, payment_id, created_at, updated_at)
     values ('${body.id}', '${ada.accountId}', 'PAID', ${amount}, '${currency}', gen_random_uuid(), now(), now())`,
  );
  return { path: `/orders/${body.id}/refunds`, productId, half: { amount: amount / 2, currency } };
}

const key = () => ({ 'idempotency-key': randomUUID() });

it('an operator refunds a piece, which its customer sees without the reason, and nobody else', async () => {
  const { path, productId, half } = await paidOrder();
  const refund = { lines: [{ productId, quantity: 1 }], reason };
  await makeOperator(olga);
  await until('olga has the role', async () => (await olga.send('GET', path)).status === 200);
  const made = await olga.send('POST', path, refund, key());
  expect([made.status, made.body]).toMatchObject([201, { amount: half, reason, actor: `account ${olga.accountId}` }]);
  const own = `${path}/${made.body.id}`;
  expect(made.headers.get('location')).toBe(own);
  await until('it is refunded', async () => (await ada.send('GET', own)).body.state === 'SUCCEEDED');
  expect(JSON.stringify((await ada.send('GET', path)).body)).not.toContain(reason);

  for (const [one, status] of [
    [bob, 404],
    [ada, 200],
  ] as const) {
    expect((await one.send('GET', path)).status).toBe(status);
    expect((await one.send('POST', path, refund, key())).status).toBe(403);
  }
  expect((await anonymous('POST', path, refund, key())).status).toBe(401);
  expect((await ada.send('POST', `/internal${path}`, refund, key())).status).toBe(404);
});

it("an operator's API key refunds only with the scope, and only an operator can make such a key", async () => {
  const { path, half } = await paidOrder();
  await makeOperator(olga);
  const keyOf = ({ send }: Customer, scopes: string[]) => send('POST', '/auth/keys', { name: 'Returns', scopes });
  expect((await keyOf(ada, ['refunds:write'])).status).toBe(403);
  await until('olga has the role', async () => (await keyOf(olga, ['refunds:write'])).status === 201);
  const refund = { amount: half, reason };
  for (const [scopes, status] of [
    [['orders:read', 'orders:write'], 403],
    [['refunds:write'], 201],
  ] as const) {
    const { body } = await keyOf(olga, [...scopes]);
    const machine = withCookie(anonymous, `__store_jwt_token=${body.key}`);
    expect((await machine('POST', path, refund, key())).status).toBe(status);
    expect((await machine('GET', path)).status).toBe(status === 403 ? 404 : 403);
  }
});
