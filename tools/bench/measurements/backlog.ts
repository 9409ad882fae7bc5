import pg from 'pg';
import { until } from '../load.ts';
import type { Measurement } from '../measurement.ts';
import type { Row } from '../report.ts';

const eventCount = 40_000;
const groups = ['notification', 'analytics', 'invoice'] as const;

/** How fast a backlog is worked off: a full outbox by the relay, then a full topic by one group after another. */
export const backlog: Measurement = {
  name: 'backlog',
  components: ['payment', ...groups],
  async run({ store, log }) {
    const payment = new pg.Client({ connectionString: store.databaseUrl('payment') });
    const consumers = new pg.Client({ connectionString: store.databaseUrl('consumers') });
    await Promise.all([payment.connect(), consumers.connect()]);
    try {
      await Promise.all((['payment', ...groups] as const).map((name) => store.component(name).stop()));
      log(`payment publishes ${eventCount} events`);
      await payment.query(paidEvents, [eventCount]);
      await store.component('payment').restart();
      const count = async (client: pg.Client, rows: string) =>
        Number((await client.query(`select count(*) from ${rows}`)).rows[0].count);
      await until('all events are published', async () => !(await count(payment, 'outbox where sent_at is null')), 200);
      const relayed = await rateOf(payment, 'sent_at', 'outbox');
      const rows: Row[] = [
        {
          name: 'Relay from a full outbox',
          measured: `${eventCount} events`,
          result: relayed,
          unit: 'per s',
          atLeast: 5_000,
        },
      ];

      for (const name of groups) {
        log(`${name} handles the ${eventCount} events`);
        await store.component(name).restart();
        const processed = `processed_events where consumer_group = '${name}-group'`;
        await until(
          `${name} has handled all events`,
          async () => (await count(consumers, processed)) === eventCount,
          200,
        );
        rows.push({
          name: `Group ${name} from a full topic`,
          measured: `${eventCount} events`,
          result: await rateOf(consumers, 'processed_at', processed),
          unit: 'per s',
          atLeast: 1_500,
        });
      }
      return rows;
    } finally {
      await Promise.all([payment.end(), consumers.end()]);
    }
  },
};

/** The kind that each of the groups handles. */
const paidEvents = `
  insert into outbox (id, kind, key, payload, traceparent, created_at)
  select gen_random_uuid(), 'OrderPaid', order_id,
         json_build_object('orderId', order_id, 'customerId', gen_random_uuid(), 'timestamp', '2026-01-31T12:00:00.000Z',
           'paymentId', gen_random_uuid(), 'amount', json_build_object('amount', n % 1000 + 0.25, 'currency', 'USD')),
         '00-' || replace(order_id::text, '-', '') || '-00f067aa0ba902b7-01', now()
  from (select n, gen_random_uuid() as order_id from generate_series(1, $1::int) as n) as orders`;

/** Rows per second, from the first timestamp to the last: the start of the process is left out. */
async function rateOf(client: pg.Client, column: string, rows: string): Promise<number> {
  const { rows: found } = await client.query<{ rate: number }>(
    `select count(*) filter (where ${column} > first) / extract(epoch from max(${column}) - first)::float8 as rate
     from (select *, min(${column}) over () as first from ${rows}) as row group by first`,
  );
  return found[0]?.rate ?? NaN;
}
