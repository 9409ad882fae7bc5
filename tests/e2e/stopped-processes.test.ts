import { randomUUID } from 'node:crypto';
import { createSend, type Send, sendExpecting } from '../kit/http.ts';
import { queryOnce } from '../kit/postgres/database.ts';
import { startTestStore, type TestStore, until } from './_store.ts';

/** Between two looks of the shipper at what is due. */
const pollSeconds = 1;
const shipAfterSeconds = 1;

const processes = ['order', 'order-worker', 'inventory', 'payment'] as const;
/** How far an order has come when a process stops, by what the store has recorded. */
const steps = {
  placed: { database: 'order', from: 'orders where id', status: '%' },
  reserved: { database: 'inventory', from: 'reservations where order_id', status: 'RESERVED' },
  paid: { database: 'payment', from: 'payments where order_id', status: 'PAID' },
  confirmed: { database: 'order', from: 'orders where id', status: 'CONFIRMED' },
};
type Step = keyof typeof steps;

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
const cancel = (id: string) => order('POST', `/orders/${id}/cancellation`, undefined, asAda);

const rows = <Row extends object>(database: string, sql: string) => queryOnce<Row>(store.databaseUrl(database), sql);

async function hasReached(id: string, step: Step): Promise<boolean> {
  const { database, from, status } = steps[step];
  return (await rows(database, `select from ${from} = '${id}' and status like '${status}'`)).length > 0;
}

/** A shipper that runs has shipped it by then. */
async function isLongDueOrUnpaid(id: string): Promise<boolean> {
  const [payment] = await rows<{ isRecent: boolean }>(
    'payment',
    `select updated_at > now() - interval '${shipAfterSeconds + 2 * pollSeconds} seconds' as "isRecent"
     from payments where order_id = '${id}' and status = 'PAID'`,
  );
  return !payment?.isRecent;
}

/** Returns the states that the services have recorded of an order, as `order reservation payment`. */
async function stateOf(id: string): Promise<string> {
  const [{ state } = {}] = await rows<{ state: string }>(
    'order',
    `select case when shipped_at is null then status else status || '+shipped' end as state from orders where id = '${id}'`,
  );
  const [reservation] = await rows<{ status: string }>(
    'inventory',
    `select status from reservations where order_id = '${id}'`,
  );
  const [payment] = await rows<{ status: string }>('payment', `select status from payments where order_id = '${id}'`);
  return `${state} ${reservation?.status} ${payment?.status}`;
}
const isFinal = (state: string) =>
  /^(CONFIRMED\+shipped SHIPPED PAID|CANCELLED RELEASED (REFUNDED|CANCELLED))$/.test(state);

async function announcedFor(id: string): Promise<string[]> {
  const all = ['order', 'inventory', 'payment'].map((database) =>
    rows<{ kind: string }>(database, `select kind from outbox where key = '${id}'`),
  );
  return (await Promise.all(all)).flat().map(({ kind }) => kind);
}

/** An order that has left has the first, and none of the others. */
const decisive = ['OrderShipped', 'OrderCancelled', 'StockReleased', 'PaymentRefunded'];
const outcomes = new Set<string>();

describe.each(processes)(
  'what has left is never refunded, what is cancelled never leaves, while %s is stopped',
  (name) => {
    it.each(Object.keys(steps) as Step[])('from the moment an order is %s', async (step) => {
      const tea = await newProduct();
      const [early, late] = await Promise.all([place(tea), place(tea)]);
      await until(`both orders are ${step}`, async () => (await hasReached(early, step)) && hasReached(late, step));
      const stopped = store.component(name);
      stopped.kill('SIGSTOP');
      const responses: ReturnType<typeof cancel>[] = [];
      try {
        responses.push(cancel(early));
        await until('the shipment is long due', () => isLongDueOrUnpaid(late));
        responses.push(cancel(late));
        if (name !== 'order') await Promise.all(responses);
      } finally {
        stopped.kill('SIGCONT');
      }
      const statuses = (await Promise.all(responses)).map(({ status }) => status);

      for (const [index, id] of [early, late].entries()) {
        let state = '';
        await until(
          () => `order ${id} is final: ${state}`,
          async () => {
            state = await stateOf(id);
            return isFinal(state);
          },
        );
        const isShipped = state.includes('+shipped');
        const announced = (await announcedFor(id)).filter((kind) => decisive.includes(kind));
        // 503: the process was stopped while its transaction held the order's row, and the cancellation gave up.
        expect(isShipped ? [409, 503] : [201]).toContain(statuses[index]);
        expect(announced).toEqual(isShipped ? ['OrderShipped'] : expect.not.arrayContaining(['OrderShipped']));
        outcomes.add(state);
      }
    });
  },
);

test('some of those orders were shipped, others were refunded', () => {
  expect([...outcomes]).toEqual(
    expect.arrayContaining(['CANCELLED RELEASED REFUNDED', 'CONFIRMED+shipped SHIPPED PAID']),
  );
});

test('an order whose product was deleted before inventory read of it ends CANCELLED with that reason', async () => {
  const tea = await newProduct();
  store.component('inventory').kill('SIGSTOP');
  let id: string;
  try {
    id = await place(tea);
    await sendExpecting(204, product, 'DELETE', `/products/${tea}`, undefined, asAda);
  } finally {
    store.component('inventory').kill('SIGCONT');
  }
  await until('the order is cancelled', async () => (await stateOf(id)).startsWith('CANCELLED'));
  const { body } = await sendExpecting(200, order, 'GET', `/orders/${id}/cancellation`, undefined, asAda);
  expect(body).toMatchObject({ orderId: id, reason: 'product no longer exists' });
});
