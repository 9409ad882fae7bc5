import pg from 'pg';
import { quantile } from 'simple-statistics';
import { login, orderPlacer } from '../customer.ts';
import { atRate, until, warmUp } from '../load.ts';
import type { Measurement } from '../measurement.ts';
import { fillCatalogue } from './products.ts';

const perSecond = 20;
const seconds = 40;
/** Until V8 has compiled the hot code of eleven processes, which take several times the CPU before. */
const warmUpSeconds = 60;

/** How long an order takes from the request at the gateway until it is CONFIRMED: reserved, paid, both reported back. */
export const saga: Measurement = {
  name: 'saga',
  components: [
    'gateway',
    'auth',
    'account',
    'product',
    'order',
    'order-worker',
    'inventory',
    'payment',
    'notification',
    'analytics',
    'invoice',
  ],
  async run({ store, log }) {
    await fillCatalogue(store.databaseUrl('product'));
    const database = new pg.Client({ connectionString: store.databaseUrl('order') });
    await database.connect();
    try {
      const cookie = await login(store.url('auth'));
      const place = await orderPlacer(store.gatewayUrl, store.url('product'), { cookie });
      log(`warming up, then placing ${perSecond} orders per second for ${seconds} s`);
      const noneIsPending = async () => {
        const { rows } = await database.query(`select from orders where status = 'PENDING' limit 1`);
        return rows.length === 0;
      };
      await warmUp(place);
      await atRate(perSecond, warmUpSeconds, place);
      await until('the orders of the warm-up have reached a final state', noneIsPending, 500);
      const placed = await atRate(perSecond, seconds, place);
      await until('all orders have reached a final state', noneIsPending, 500);
      // Taken just before the commit of the order's last change.
      const { rows: confirmed } = await database.query<{ id: string; at: number }>(
        `select id, (extract(epoch from pg_xact_commit_timestamp(xmin)) * 1000)::float8 as at
         from orders where id = any($1::uuid[]) and status = 'CONFIRMED'`,
        [placed.map(({ id }) => id)],
      );
      if (confirmed.length < placed.length)
        throw new Error(`${placed.length - confirmed.length} orders were not confirmed.`);
      const confirmedAt = new Map(confirmed.map(({ id, at }) => [id, at]));
      const delays = placed.map(({ id, sentAt }) => (confirmedAt.get(id) ?? NaN) - sentAt);
      return [
        {
          name: 'Order placed through the gateway to CONFIRMED, p50',
          measured: `at ${perSecond} orders per second`,
          result: quantile(delays, 0.5),
          unit: 'ms',
          atMost: 60,
        },
        {
          name: 'The same, p99',
          measured: `of ${delays.length} orders`,
          result: quantile(delays, 0.99),
          unit: 'ms',
          atMost: 200,
        },
      ];
    } finally {
      await database.end();
    }
  },
};
