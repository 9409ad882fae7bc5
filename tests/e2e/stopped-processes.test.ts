import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { createSend, type Send, sendExpecting } from '../kit/http.ts';
import { queryOnce } from '../kit/postgres/database.ts';
import { startTestStore, type TestStore, until } from './_store.ts';

const shipAfterSeconds = 1;
/** The time in which a running shipper, which polls once a second, ships a paid order. */
const longDue = `interval '${shipAfterSeconds + 2} seconds'`;

const asAda = { 'id-account': randomUUID() };
let store: TestStore;
let order: Send;
let product: Send;

beforeAll(async () => {
  store = await startTestStore({
    components: ['product', 'order', 'order-worker', 'inventory', 'payment'],
    env: { SHIP_AFTER_SECONDS: String(shipAfterSeconds) },
  });
  order = createSend(store.url('order'));
  product = createSend(store.url('product'));
}, 120_000);

afterAll(() => store?.stop(), 60_000);

const newProduct = async (): Promise<string> =>
  (await sendExpecting(201, product, 'POST', '/products', { name: 'Tea', price: 2, unit: 'kg' }, asAda)).body.id;
const place = async (productId: string): Promise<string> => {
  const body = { items: [{ productId, quantity: 1 }] };
  return (await sendExpecting(201, order, 'POST', '/orders', body, asAda)).body.id;
};
const cancel = async (id: string) => (await order('POST', `/orders/${id}/cancellation`, undefined, asAda)).status;

async function whileStopped(name: string, work: () => Promise<void>): Promise<void> {
  store.component(name).kill('SIGSTOP');
  try {
    await work();
  } finally {
    store.component(name).kill('SIGCONT');
  }
}

const rows = (database: string, sql: string) =>
  queryOnce<{ value: string }>(store.databaseUrl(database), sql).then((all) => all.map(({ value }) => value));

/** Returns the recorded states of an order as `order reservation payment`. */
async function stateOf(id: string): Promise<string> {
  const shipped = `case when shipped_at is null then '' else '+shipped' end`;
  const states = await Promise.all([
    rows('order', `select status || ${shipped} as value from orders where id = '${id}'`),
    rows('inventory', `select status as value from reservations where order_id = '${id}'`),
    rows('payment', `select status as value from payments where order_id = '${id}'`),
  ]);
  return states.flat().join(' ');
}
const isFinal = (state: string) =>
  /^(CONFIRMED\+shipped SHIPPED PAID|CANCELLED RELEASED (REFUNDED|CANCELLED))$/.test(state);

const isLongDueOrUnpaid = async (id: string) =>
  (
    await rows(
      'payment',
      `select 'recent' as value from payments
       where order_id = '${id}' and status = 'PAID' and updated_at > now() - ${longDue}`,
    )
  ).length === 0;

async function announcedFor(id: string): Promise<string[]> {
  const kinds = `select kind as value from outbox where key = '${id}'`;
  return (await Promise.all(['order', 'inventory', 'payment'].map((database) => rows(database, kinds)))).flat();
}

/** A shipped order has the first event and none of the others. */
const decisive = ['OrderShipped', 'OrderCancelled', 'StockReleased', 'PaymentRefunded'];
const outcomes = new Set<string>();

it.each(['order', 'order-worker', 'inventory', 'payment'])(
  'a shipped order is never refunded and a cancelled order is never shipped while %s is stopped',
  async (name) => {
    const tea = await newProduct();
    // Two orders are confirmed, the others are at different steps.
    const ids = [await place(tea), await place(tea)];
    const isConfirmed = async (id: string) => (await stateOf(id)).startsWith('CONFIRMED');
    await until('two are confirmed', async () => (await Promise.all(ids.map(isConfirmed))).every(Boolean));
    for (let count = 0; count < 8; count += 1) {
      ids.push(await place(tea));
      await pause(5 * count);
    }
    const responses = new Map<string, Promise<number>>();
    await whileStopped(name, async () => {
      const [early, late] = [0, 1].map((rest) => ids.filter((_, index) => index % 2 === rest)) as [string[], string[]];
      for (const id of early) responses.set(id, cancel(id));
      await until('the others are overdue', async () =>
        (await Promise.all(late.map(isLongDueOrUnpaid))).every(Boolean),
      );
      for (const id of late) responses.set(id, cancel(id));
      if (name !== 'order') await Promise.all(responses.values());
    });

    for (const [id, response] of responses) {
      let state = '';
      await until(
        () => `order ${id} is final: ${state}`,
        async () => {
          state = await stateOf(id);
          return isFinal(state);
        },
      );
      const isShipped = state.includes('+shipped');
      // 503: the stopped process held the order's row in its transaction, so the cancellation gave up.
      expect(isShipped ? [409, 503] : [201]).toContain(await response);
      const announced = (await announcedFor(id)).filter((kind) => decisive.includes(kind));
      expect(announced).toEqual(isShipped ? ['OrderShipped'] : expect.not.arrayContaining(['OrderShipped']));
      outcomes.add(state);
    }
  },
);

it('some of those orders were shipped, others were refunded', () => {
  expect([...outcomes]).toEqual(
    expect.arrayContaining(['CANCELLED RELEASED REFUNDED', 'CONFIRMED+shipped SHIPPED PAID']),
  );
});

it('an order whose product was deleted before inventory handled it ends CANCELLED with that reason', async () => {
  const tea = await newProduct();
  let id = '';
  await whileStopped('inventory', async () => {
    id = await place(tea);
    await sendExpecting(204, product, 'DELETE', `/products/${tea}`, undefined, asAda);
  });
  await until('the order is cancelled', async () => (await stateOf(id)).startsWith('CANCELLED'));
  const { body } = await sendExpecting(200, order, 'GET', `/orders/${id}/cancellation`, undefined, asAda);
  expect(body).toMatchObject({ orderId: id, reason: 'product no longer exists' });
});
