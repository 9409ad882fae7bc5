import { queryOnce } from '../../../tests/kit/postgres/database.ts';
import { until } from '../../../tests/kit/until.ts';
import type { Store } from '../../local/store.ts';
import { figure } from '../figures.ts';
import { type Measurement, say } from '../measurement.ts';

const eventCount = 40_000;
const groups = ['notification', 'analytics', 'invoice'] as const;
const measured = `${eventCount} events`;
const patience = { timeoutMs: 120_000, intervalMs: 200 };

/** Measures how fast the relay empties a full outbox, and then how fast one group after another handles a full topic. */
export const backlog: Measurement = {
  name: 'backlog',
  components: ['payment', ...groups],
  async run(store) {
    const rates = await ratesOf(store);
    const ofGroups = groups.map((name) => figure('group', rates[name], measured, name));
    return [figure('relay', rates.relay, measured), ...ofGroups];
  },
};

/** Returns events per second. */
export async function ratesOf(store: Store): Promise<Record<'relay' | (typeof groups)[number], number>> {
  const [payment, consumers] = [store.databaseUrl('payment'), store.databaseUrl('consumers')];
  for (const name of ['payment', ...groups]) await store.component(name).stop();
  say(`payment publishes ${eventCount} events`);
  await queryOnce(payment, paidEvents);
  await store.component('payment').restart();
  const isPublished = async () => (await count(payment, 'outbox where sent_at is null')) === 0;
  await until('all events are published', isPublished, patience);
  const rates = { relay: await rateOf(payment, 'sent_at', 'outbox'), notification: NaN, analytics: NaN, invoice: NaN };
  for (const name of groups) {
    say(`${name} handles the ${eventCount} events`);
    await store.component(name).restart();
    const processed = `processed_events where consumer_group = '${name}-group'`;
    const hasHandledAll = async () => (await count(consumers, processed)) === eventCount;
    await until(`${name} has handled all events`, hasHandledAll, patience);
    rates[name] = await rateOf(consumers, 'processed_at', processed);
  }
  return rates;
}

async function count(database: string, rows: string): Promise<number | undefined> {
  return (await queryOnce<{ count: number }>(database, `select count(*)::int as count from ${rows}`))[0]?.count;
}

/** Events of a kind that each of these groups handles. */
const paidEvents = `
  insert into outbox (id, kind, key, payload, traceparent, created_at)
  select gen_random_uuid(), 'OrderPaid', order_id,
         json_build_object('orderId', order_id, 'customerId', gen_random_uuid(), 'timestamp', '2026-01-31T12:00:00.000Z',
           'paymentId', gen_random_uuid(), 'amount', json_build_object('amount', n % 1000 + 0.25, 'currency', 'USD')),
         '00-' || replace(order_id::text, '-', '') || '-00f067aa0ba902b7-01', now()
  from (select n, gen_random_uuid() as order_id from generate_series(1, ${eventCount}) as n) as orders`;

/** Rows per second, from the first timestamp to the last, without the start of the process. */
async function rateOf(database: string, column: string, rows: string): Promise<number> {
  const [found] = await queryOnce<{ rate: number }>(
    database,
    `select count(*) filter (where ${column} > first) / extract(epoch from max(${column}) - first)::float8 as rate
     from (select *, min(${column}) over () as first from ${rows}) as row group by first`,
  );
  return found?.rate ?? NaN;
}
