import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { type Customer, newCustomer } from '../e2e/_customer.ts';
import { readEvents, type SeenEvent } from '../e2e/_events.ts';
import { startTestStore, type TestStore, until } from '../e2e/_store.ts';
import { createDice, isAllRead, rage, redeliver } from './_chaos.ts';

// make test takes the short form; make test-faults sets 500 orders.
const orders = Number(process.env.FAULT_ORDERS ?? 60);
const seed = Number(process.env.FAULT_SEED ?? Date.now() % 100_000);
const minute = 60_000;

let store: TestStore;
let customers: Customer[];
let productIds: string[];
let topic: Awaited<ReturnType<typeof readEvents>>;
const initialStock = 1_000;
const scarce = Math.ceil(orders / 4);

async function rowsOf<T>(database: string, sql: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: store.databaseUrl(database) });
  await client.connect();
  const { rows } = await client.query(sql);
  await client.end();
  return rows;
}

/** As a careful client does: the same Idempotency-Key until there is an answer. */
async function insist(customer: Customer, path: string, body?: unknown): Promise<number> {
  const key = randomUUID();
  for (const deadline = Date.now() + minute; ; await new Promise((resolve) => setTimeout(resolve, 200))) {
    const status = await customer.send('POST', path, body, { 'idempotency-key': key }).then(
      (answer) => answer.status,
      () => 0,
    );
    if (status !== 0 && status < 500 && status !== 409 && status !== 429) return status;
    if (status === 409 && path.endsWith('/cancellation')) return status;
    if (Date.now() > deadline) throw new Error(`POST ${path} is answered with ${status} for a minute.`);
  }
}

beforeAll(async () => {
  store = await startTestStore({
    SHIP_AFTER_SECONDS: '600',
    INITIAL_STOCK: String(initialStock),
    RETRY_DELAY_MS: '100',
  });
  customers = await Promise.all([newCustomer(store.gatewayUrl), newCustomer(store.gatewayUrl)]);
  const [ada] = customers as [Customer, Customer];
  productIds = [];
  for (const [name, price] of [
    ['Tea', 4.5],
    ['Cup', 12],
    ['Samovar', 60_000],
    ['Rare', 20],
  ] as const) {
    productIds.push((await ada.send('POST', '/products', { name, price, unit: 'piece' })).body.id);
  }
  const stock = await fetch(`${store.urls.inventory}/stock/${productIds[3]}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ available: scarce }),
  });
  expect(stock.status).toBeLessThan(300);
  topic = await readEvents(store.kafkaBrokers);
}, 3 * minute);

afterAll(async () => {
  await topic?.stop();
  await store?.stop();
}, minute);

it(
  `loses nothing and does nothing twice: ${orders} orders while parts are killed, seed ${seed}`,
  async () => {
    const dice = createDice(seed);
    let isPlaced = false;
    const chaos = rage(store, dice, () => isPlaced);

    const placeOne = async (n: number) => {
      const customer = customers[n % 2] as Customer;
      const [tea, cup, samovar, rare] = productIds;
      const kinds = [
        [{ productId: tea, quantity: 1 + (n % 3) }],
        [
          { productId: tea, quantity: 1 },
          { productId: cup, quantity: 2 },
        ],
        [
          { productId: cup, quantity: 1 },
          { productId: rare, quantity: 1 },
        ],
        [{ productId: samovar, quantity: n % 8 === 3 ? 2 : 1 }], // two are above what a payment may be
      ];
      expect(await insist(customer, '/orders', { items: kinds[n % kinds.length] })).toBe(201);
      if (n % 7 === 0) {
        const [mine] = await rowsOf<{ id: string }>(
          'order',
          `select id from orders where account_id = '${customer.accountId}' order by created_at desc limit 1`,
        ).catch(() => []);
        if (mine !== undefined) await insist(customer, `/orders/${mine.id}/cancellation`);
      }
    };
    for (let n = 0; n < orders; n += 5) await Promise.all([0, 1, 2, 3, 4].map((k) => placeOne(n + k)));
    isPlaced = true;
    const done = await chaos;
    console.log(`${done.length} faults: ${[...new Set(done)].join(', ')}`);

    await settle();
    await redeliver(store);
    await settle();

    const placed = await rowsOf<{ id: string; status: string; paid: boolean }>(
      'order',
      'select id, status, paid_at is not null as paid from orders',
    );
    expect(placed).toHaveLength(orders);
    expect(placed.filter(({ status }) => status === 'PENDING')).toEqual([]);
    const statuses = new Set(placed.map(({ status }) => status));
    expect(statuses).toEqual(new Set(['CONFIRMED', 'CANCELLED']));

    await stockAddsUp();
    await paymentsAndInvoicesAgree(placed);
    await figuresAgree(placed);
    await eventsAreComplete();
  },
  12 * minute,
);

/** Until every order is decided, every event published, and every group at the end of the topic. */
async function settle(): Promise<void> {
  const isSettled = async () => {
    const [open] = await rowsOf<{ count: number }>(
      'order',
      `select count(*)::int from orders where status = 'PENDING'`,
    );
    if (open?.count !== 0) return false;
    for (const database of ['order', 'inventory', 'payment']) {
      const [unsent] = await rowsOf<{ count: number }>(
        database,
        'select count(*)::int from outbox where sent_at is null',
      );
      if (unsent?.count !== 0) return false;
    }
    return isAllRead(store);
  };
  await until('everything is settled', async () => (await isSettled()) && (await isSettled()), 240);
}

async function stockAddsUp() {
  const stock = await rowsOf<{ product_id: string; available: number }>(
    'inventory',
    'select product_id, available from stock',
  );
  const reserved = await rowsOf<{ product_id: string; quantity: number }>(
    'inventory',
    `select item->>'productId' as product_id, sum((item->>'quantity')::int)::int as quantity
     from reservations, jsonb_array_elements(items) item where status in ('RESERVED', 'SHIPPED') group by 1`,
  );
  for (const { product_id, available } of stock) {
    const taken = reserved.find((one) => one.product_id === product_id)?.quantity ?? 0;
    const first = product_id === productIds[3] ? scarce : initialStock;
    expect({ product_id, pieces: available + taken }).toEqual({ product_id, pieces: first });
  }
  const confirmed = await rowsOf<{ product_id: string; quantity: number }>(
    'order',
    `select product_id, sum(quantity)::int as quantity from order_items join orders on orders.id = order_id
     where status = 'CONFIRMED' group by 1`,
  );
  const byProduct = (rows: { product_id: string; quantity: number }[]) =>
    Object.fromEntries(rows.map(({ product_id, quantity }) => [product_id, quantity]));
  expect(byProduct(reserved)).toEqual(byProduct(confirmed));
}

async function paymentsAndInvoicesAgree(placed: { id: string; status: string; paid: boolean }[]) {
  const payments = await rowsOf<{ order_id: string; status: string }>(
    'payment',
    'select order_id, status from payments',
  );
  const statusOf = new Map(payments.map(({ order_id, status }) => [order_id, status]));
  const wrong = placed.filter(({ id, status }) => (status === 'CONFIRMED') !== (statusOf.get(id) === 'PAID'));
  expect(wrong).toEqual([]);

  const invoices = await rowsOf<{ order_id: string; number: number }>(
    'consumers',
    'select order_id, number::int from invoices order by number',
  );
  const paid = payments
    .filter(({ status }) => status === 'PAID' || status === 'REFUNDED')
    .map(({ order_id }) => order_id);
  expect(invoices.map(({ order_id }) => order_id).sort()).toEqual(paid.sort());
  expect(invoices.map(({ number }) => number)).toEqual(invoices.map((_, index) => index + 1));

  const refunds = new Map<string, Set<string>>();
  for (const { key, headers } of topic.events) {
    if (headers.ce_type !== 'PaymentRefunded') continue;
    refunds.set(key, (refunds.get(key) ?? new Set()).add(headers.ce_id ?? ''));
  }
  const refunded = payments.filter(({ status }) => status === 'REFUNDED').map(({ order_id }) => order_id);
  expect([...refunds.keys()].sort()).toEqual(refunded.sort());
  expect([...refunds.values()].every((ids) => ids.size === 1)).toBe(true);
}

async function figuresAgree(placed: { status: string }[]) {
  const [figures] = await rowsOf<Record<string, number>>(
    'consumers',
    `select sum(orders)::int as orders, sum(paid)::int as paid, sum(cancelled)::int as cancelled,
            sum(refunded)::int as refunded from daily_figures`,
  );
  const kinds = (kind: string) =>
    new Set(topic.events.filter(({ headers }) => headers.ce_type === kind).map(({ headers }) => headers.ce_id)).size;
  expect(figures).toEqual({
    orders: placed.length,
    paid: kinds('OrderPaid'),
    cancelled: kinds('OrderCancelled'),
    refunded: kinds('PaymentRefunded'),
  });
}

/** Each outbox row is on the topic, and for one key the topic has the order in which its writer wrote. */
async function eventsAreComplete() {
  await until('the test has read the topic', async () => {
    const read = new Set(topic.events.map(({ headers }) => headers.ce_id));
    const written = (await Promise.all(['order', 'inventory', 'payment'].map(outboxOf))).flat();
    return written.every(({ id }) => read.has(id));
  });
  for (const database of ['order', 'inventory', 'payment']) {
    const written = await outboxOf(database);
    const ids = new Set(written.map(({ id }) => id));
    const read = new Map<string, string[]>();
    for (const { key, headers } of firsts(topic.events)) {
      const id = headers.ce_id ?? '';
      if (ids.has(id)) read.set(key, [...(read.get(key) ?? []), id]);
    }
    for (const [key, order] of read) {
      expect(order).toEqual(written.filter((row) => row.key === key).map(({ id }) => id));
    }
  }
}

const outboxOf = (database: string) =>
  rowsOf<{ id: string; key: string }>(database, 'select id, key from outbox order by seq');

/** What is left when an event that was published twice counts where it came first. */
function firsts(events: SeenEvent[]): SeenEvent[] {
  const seen = new Set<string | undefined>();
  return events.filter(({ headers }) => !seen.has(headers.ce_id) && seen.add(headers.ce_id));
}
