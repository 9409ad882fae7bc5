import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { execa } from 'execa';
import { type Store, type StoreOptions, startStore } from '../../tools/local/store.ts';
import { root } from '../../tools/paths.ts';
import { topology } from '../../tools/topology/topology.ts';
import { useFolder } from '../kit/folder.ts';
import { createSend, sendExpecting } from '../kit/http.ts';
import { queryOnce } from '../kit/postgres/database.ts';
import { findClient, howToGetClient, runScript } from '../kit/postgres/postgres-client.ts';
import { read } from '../kit/read.ts';
import { until } from './_store.ts';

// The chart's scripts on a whole store (docs/backup.md).

const client = (await findClient()) ?? '';
if (client === '') console.log(`pg_dump of PostgreSQL 18 is missing: ${howToGetClient}`);

const components = ['product', 'order', 'order-worker', 'inventory', 'payment', 'notification', 'analytics', 'invoice'];
const stores: Store[] = [];
beforeAll(async () => {
  for (const name of ['first', 'second', 'backups']) await mkdir(join(dir, name), { mode: 0o755 });
});
afterAll(async () => {
  for (const store of stores) await store.stop();
});
const dir = useFolder();

async function start(name: string, options: Partial<StoreOptions> = {}): Promise<Store> {
  const env = { SHIP_AFTER_SECONDS: '1' };
  const given = { dir: join(dir, name), components, env, ports: 'free' as const, postgresSettings: { fsync: 'off' } };
  const store = await startStore({ ...given, ...options });
  stores.push(store);
  return store;
}

async function stop(store: Store): Promise<void> {
  stores.splice(stores.indexOf(store), 1);
  await store.stop();
}

async function script(store: Store, name: string, env: Record<string, string> = {}) {
  const { postgres } = JSON.parse(await readFile(join(store.dir, 'data/postgres-passwords.json'), 'utf8'));
  const url = Object.assign(new URL(store.databaseUrl('order')), { username: 'postgres', password: postgres });
  return runScript(client, name, url.href, { BACKUPS: join(dir, 'backups'), KEEP: '2', ...env });
}

type Row = Record<string, unknown>;

/** The state to compare before and after, sorted by the ids of orders. */
async function readState(store: Store) {
  const read = (database: string, sql: string) => queryOnce<Row>(store.databaseUrl(database), sql);
  const [orders, items, payments, reservations, stock, notifications, invoices, figures] = await Promise.all([
    read(
      'order',
      'select id, account_id, status, total_amount, cancel_reason, shipped_at is not null as shipped from orders order by 1',
    ),
    read('order', 'select order_id, product_id, quantity from order_items order by 1, 2'),
    read('payment', 'select order_id as id, status, amount from payments order by 1'),
    read('inventory', 'select order_id as id, status from reservations order by 1'),
    read('inventory', 'select product_id as id, available from stock order by 1'),
    read('consumers', 'select order_id as id, kind from notifications order by 1, 2'),
    read('consumers', 'select order_id as id, number::int, amount from invoices order by number'),
    read('consumers', 'select sum(orders)::int as orders, sum(paid)::int as paid from daily_figures'),
  ]);
  return { orders, items, payments, reservations, stock, notifications, invoices, figures };
}

type State = Awaited<ReturnType<typeof readState>>;

/** Waits until every order is final, every event is sent, and nothing changes any more. */
async function untilQuiet(store: Store): Promise<State> {
  const unsent = async (database: string) =>
    (await queryOnce(store.databaseUrl(database), 'select from outbox where sent_at is null limit 1')).length > 0;
  let before = '';
  let since = Date.now();
  let state: State | undefined;
  await until(
    () => `the store is idle, now with ${before}`,
    async () => {
      const waiting = await Promise.all(['order', 'inventory', 'payment'].map(unsent));
      state = await readState(store);
      const open = state.orders.filter(({ status, shipped }) => status !== 'CANCELLED' && !shipped).length;
      const now = `${open} open orders, ${JSON.stringify(waiting)}, ${state.notifications.length} notifications, ${JSON.stringify(state.figures)}`;
      if (now !== before || open > 0 || waiting.includes(true)) since = Date.now();
      before = now;
      await pause(200);
      return Date.now() - since > 3_000;
    },
    90_000,
  );
  return state as State;
}

/** Places orders until it is stopped. The payments of some are declined because they are too expensive. */
async function placeOrders(store: Store, workers: number) {
  const asAda = { 'id-account': randomUUID() };
  const [products, orders] = [createSend(store.url('product')), createSend(store.url('order'))];
  const ids: string[] = [];
  for (const price of [2, 3, 200_000]) {
    const tea = { name: 'Tea', price, unit: 'kg' };
    ids.push((await sendExpecting(201, products, 'POST', '/products', tea, asAda)).body.id);
  }
  const placed: string[] = [];
  let isStopped = false;
  async function work(n: number): Promise<void> {
    for (let count = n; !isStopped; count += 1) {
      const productId = ids[count % 7 === 0 ? 2 : count % 2];
      const items = [{ productId, quantity: 1 }];
      placed.push((await sendExpecting(201, orders, 'POST', '/orders', { items }, asAda)).body.id);
      await pause(20);
    }
  }
  const all = Promise.all(Array.from({ length: workers }, (_, n) => work(n)));
  all.catch(() => undefined);
  return {
    placed,
    stop: async () => {
      isStopped = true;
      await all;
    },
  };
}

/** Expects the orders in the dump, and everything that belongs to them, to have ended as in the original store. */
function expectNothingOwed(restored: State, original: State): void {
  const ids = new Set(restored.orders.map(({ id }) => id));
  const { stock, invoices, figures } = restored;
  for (const name of ['orders', 'items', 'payments', 'reservations', 'notifications'] as const)
    expect(restored[name]).toEqual(original[name].filter(({ id, order_id }) => ids.has(order_id ?? id)));
  const confirmed = new Set(restored.orders.filter(({ status }) => status === 'CONFIRMED').map(({ id }) => id));
  expect(figures).toEqual([{ orders: ids.size, paid: confirmed.size }]);
  expect(invoices.map(({ number }) => number)).toEqual(invoices.map((_, index) => index + 1));
  expect(new Set(invoices.map(({ id }) => id))).toEqual(confirmed);
  const sold = new Map<unknown, number>();
  for (const { order_id, product_id } of restored.items)
    sold.set(product_id, (sold.get(product_id) ?? 0) + Number(confirmed.has(order_id)));
  expect(new Map(stock.map(({ id, available }) => [id, 1000 - Number(available)]))).toEqual(sold);
}

const withClient = client === '' ? it.skip : it;
let FROM = '';
let original: State;

withClient(
  'a store restored from a dump under load completes every order placed before the dump',
  async () => {
    const first = await start('first');
    const load = await placeOrders(first, 6);
    await pause(3_000);
    const before = [...load.placed];
    expect(await script(first, 'backup.sh')).toMatchObject({
      exitCode: 0,
      all: expect.stringMatching(/^order: \d+ bytes$[\s\S]*^\d{8}T\d{6}Z is complete$/m),
    });
    await pause(1_000);
    await load.stop();
    original = await untilQuiet(first);
    // For the test below: its topics have unread events of orders that are not in the dump.
    first.component('inventory').kill('SIGKILL');
    const more = await placeOrders(first, 1);
    await pause(1_000);
    await more.stop();
    await stop(first);

    const empty = await start('second', { components: ['postgres'] });
    [FROM = ''] = await readdir(join(dir, 'backups'));
    expect(await script(empty, 'restore.sh', { FROM: '20000101T000000Z' })).toMatchObject({
      exitCode: 1,
      all: `There is no backup 20000101T000000Z. There are: ${FROM} `,
    });
    expect(await script(empty, 'restore.sh', { FROM })).toMatchObject({ exitCode: 0 });
    expect(await script(empty, 'restore.sh', { FROM })).toMatchObject({
      exitCode: 1,
      all: expect.stringMatching(/^The database consumers holds data \(.*notifications.*\): nothing was changed$/),
    });
    expect(await queryOnce(empty.databaseUrl('order'), "select from orders where status = 'PENDING'")).not.toEqual([]);
    await stop(empty);

    const second = await start('second');
    const restored = await untilQuiet(second);
    const ids = restored.orders.map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining(before));
    expect(ids.length).toBeLessThan(original.orders.length);
    expectNothingOwed(restored, original);
    await stop(second);
  },
  300_000,
);

withClient(
  'a store whose Kafka is ahead of the dump ignores orders that are not in the dump',
  async () => {
    const below = await start('first', { components: ['postgres', 'kafka'] });
    expect(await script(below, 'restore.sh', { FROM, REPLACE: 'yes' })).toMatchObject({ exitCode: 0 });
    const program = read('tools/cluster/restore/skip-events.mjs');
    for (const { image, group } of topology.services.filter((service) => service.group)) {
      const { stdout } = await execa('node', ['--conditions=@store/source', '--input-type=module', '--eval', program], {
        cwd: join(root, 'services', image),
        env: { KAFKA_BROKERS: below.kafkaBrokers.join(), CONSUMER_GROUP: group },
      });
      expect(stdout).toBe(`${group} skips all events in the topics`);
    }
    await stop(below);
    const restored = await untilQuiet(await start('first'));
    expect(restored.orders.length).toBeLessThan(original.orders.length);
    expectNothingOwed(restored, original);
  },
  300_000,
);
