import { randomUUID } from 'node:crypto';
import { createSend, sendExpecting } from '../kit/http.ts';
import { queryOnce } from '../kit/postgres/database.ts';
import { startTestStore, type TestStore, until } from './_store.ts';

const asAda = { 'id-account': randomUUID() };
let store: TestStore;

beforeAll(async () => {
  store = await startTestStore({
    components: ['product', 'order', 'order-worker', 'inventory', 'payment'],
    env: { PENDING_TIMEOUT_SECONDS: '3' },
  });
}, 120_000);

afterAll(() => store?.stop(), 60_000);

const statusOf = async (database: string, from: string) =>
  (await queryOnce<{ status: string }>(store.databaseUrl(database), `select status from ${from}`))[0]?.status;

it.each(['inventory', 'payment'] as const)(
  'an order ends CANCELLED and compensated while %s is stopped, and stays so when it continues',
  async (name) => {
    const order = createSend(store.url('order'));
    const tea = { name: 'Tea', price: 2, unit: 'kg' };
    const { body: product } = await sendExpecting(
      201,
      createSend(store.url('product')),
      'POST',
      '/products',
      tea,
      asAda,
    );
    store.component(name).kill('SIGSTOP');
    const items = [{ productId: product.id, quantity: 1 }];
    const { body: placed } = await sendExpecting(201, order, 'POST', '/orders', { items }, asAda);
    try {
      await until(
        'it is cancelled',
        async () => (await statusOf('order', `orders where id = '${placed.id}'`)) === 'CANCELLED',
      );
    } finally {
      store.component(name).kill('SIGCONT');
    }
    const path = `/orders/${placed.id}/cancellation`;
    const { body } = await sendExpecting(200, order, 'GET', path, undefined, asAda);
    expect(body).toMatchObject({ orderId: placed.id, reason: 'not confirmed in time' });
    await until('its stock is released', async () => {
      return (await statusOf('inventory', `reservations where order_id = '${placed.id}'`)) === 'RELEASED';
    });
    await until('it will never be charged, or was refunded', async () => {
      const status = await statusOf('payment', `payments where order_id = '${placed.id}'`);
      return status === 'CANCELLED' || status === 'REFUNDED';
    });
    expect(await statusOf('order', `orders where id = '${placed.id}'`)).toBe('CANCELLED');
  },
);
