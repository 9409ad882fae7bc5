import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Store } from '../../tools/local/store.ts';
import { createSend, sendExpecting } from '../kit/http.ts';
import { queryOnce } from '../kit/postgres/database.ts';
import { until } from './_store.ts';

type Row = Record<string, unknown>;

/** The state that is compared before and after, by order, in the order of the ids. */
export async function readState(store: Store) {
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

export type State = Awaited<ReturnType<typeof readState>>;

/** Waits until every order is final, every event is sent, and nothing changes any more. */
export async function untilQuiet(store: Store): Promise<State> {
  const unsent = async (database: string) =>
    (await queryOnce(store.databaseUrl(database), 'select from outbox where sent_at is null limit 1')).length > 0;
  let before = '';
  let since = Date.now();
  let state: State | undefined;
  await until(
    () => `the store is quiet, now with ${before}`,
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

/** Places orders, some of which are too expensive to be paid, until it is stopped. */
export async function placeOrders(store: Store, workers: number) {
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
