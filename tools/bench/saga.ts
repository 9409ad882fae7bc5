import pg from 'pg';
import type { Measurement } from './bench.ts';
import { atRate, orderPlacer } from './load.ts';
import { login } from './login.ts';
import { percentile, until } from './measure.ts';
import { fillCatalogue } from './products.ts';

const perSecond = 20;
const seconds = 40;
const warmUpSeconds = 20;

/** How long an order takes from its 201 at the gateway until it is confirmed: reserved, paid, and told of both. */
export const saga: Measurement = {
  name: 'saga',
  parts: [
    ...(['gateway', 'auth', 'account', 'product', 'order', 'order-worker', 'inventory', 'payment'] as const),
    ...(['notification', 'analytics', 'invoice'] as const),
  ],
  async run({ store, say }) {
    await fillCatalogue(store.databaseUrl('product'));
    const database = new pg.Client({ connectionString: store.databaseUrl('order') });
    await database.connect();
    try {
      const cookie = await login(store.urls.auth);
      const place = await orderPlacer(store.gatewayUrl, store.urls.product, { cookie });
      say(`warms up, then places ${perSecond} orders per second for ${seconds} s`);
      await atRate(perSecond, warmUpSeconds, place);
      const placed = await atRate(perSecond, seconds, place);
      const receivedAt = new Map(placed.map(({ id, at }) => [id, at]));
      const confirmed = async () => {
        const { rows } = await database.query<{ id: string; at: number }>(
          `select id, (extract(epoch from pg_xact_commit_timestamp(xmin)) * 1000)::float8 as at
           from orders where id = any($1::uuid[]) and status = 'CONFIRMED'`,
          [[...receivedAt.keys()]],
        );
        return rows;
      };
      await until('all orders are confirmed', async () => (await confirmed()).length === placed.length, 500);
      const delays = (await confirmed()).map(({ id, at }) => at - (receivedAt.get(id) ?? NaN));
      return [
        {
          what: 'Order placed through the gateway to CONFIRMED, p50',
          measured: `at ${perSecond} orders per second; p99 ${percentile(delays, 0.99).toFixed()} ms`,
          ...{ result: percentile(delays, 0.5), unit: 'ms', atMost: 100 },
        },
      ];
    } finally {
      await database.end();
    }
  },
};
