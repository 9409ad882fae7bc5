import { setTimeout as sleep } from 'node:timers/promises';
import { orderEventsTopic } from '@store/shared/messaging/topics';
import { Kafka, logLevel } from 'kafkajs';
import pg from 'pg';
import { sum } from 'simple-statistics';
import { queryOnce } from '../../tests/kit/postgres/database.ts';
import { until } from '../../tests/kit/until.ts';
import type { Store } from '../local/store.ts';
import { topology } from '../topology/topology.ts';
import { fillCatalogue, loginCookie, placeOrder, productIds } from './customer.ts';
import { cpuDuring } from './process-usage.ts';
import { send } from './requests.ts';

export const connections = 16;

const undelivered = `select from webhook_deliveries where state = 'PENDING' limit 1`;

const patience = { timeoutMs: 120_000, intervalMs: 50 };

/**
 * Places orders at a store's gateway, and waits each time until all groups have handled their events, and webhooks have heard of them.
 * @param options isShipped: waits until orders are shipped, not only until they are CONFIRMED
 */
export async function prepareOrderLoad(store: Store, { isShipped = false } = {}) {
  await fillCatalogue(store.databaseUrl('product'));
  const products = await productIds(store.url('product'));
  const place = placeOrder(store.gatewayUrl, products, { cookie: await loginCookie(store.url('auth')) });
  const unfinished = `status = 'PENDING'${isShipped ? ` or status = 'CONFIRMED' and shipped_at is null` : ''}`;
  const database = store.databaseUrl('order');

  async function untilHandled(): Promise<void> {
    await untilNone('no order is in progress', database, `select from orders where ${unfinished} limit 1`);
    const admin = new Kafka({ brokers: store.kafkaBrokers, clientId: 'bench', logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    const hasCaughtUp = async (groupId: string) => {
      const ends = await admin.fetchTopicOffsets(orderEventsTopic);
      const [offsets] = await admin.fetchOffsets({ groupId, topics: [orderEventsTopic] });
      const offsetOf = (partition: number) => offsets?.partitions.find((one) => one.partition === partition)?.offset;
      return ends.every(({ partition, high }) => high === '0' || offsetOf(partition) === high);
    };
    for (const group of Object.keys(topology.groups))
      await until(`${group} has caught up`, () => hasCaughtUp(group), patience);
    await admin.disconnect();
    await untilNone('no delivery to a webhook is pending', store.databaseUrl('consumers'), undelivered);
  }

  /** @returns the CPU of an order, until all groups have caught up and each webhook has heard of it */
  async function closedLoop(seconds: number) {
    const startedAt = performance.now();
    let count = 0;
    const used = await cpuDuring(store, async () => {
      count = await send(place, { duration: seconds, connections });
      await untilHandled();
    });
    const perSecond = (1000 * count) / (performance.now() - startedAt);
    /** CPU ms of an order by component, the most expensive first. */
    const costs = used.map(([name, ms]): [string, number] => [name, ms / count]);
    return { count, perSecond, costs, cost: sum(costs.map(([, ms]) => ms)) };
  }

  return {
    closedLoop,

    /**
     * Lets V8 compile the hot code of all processes, and PostgreSQL count the rows of tables that were empty: it plans statements by
     * such counts, and makes them once a minute, which is longer than a measurement.
     */
    async warmUp(seconds: number): Promise<void> {
      await closedLoop(seconds);
      for (const name of topology.databases) await queryOnce(store.databaseUrl(name), 'analyze');
    },

    /**
     * Places `count` orders, one every `pauseMs`, without waiting for answers: autocannon would send all orders of a second at once.
     * @returns how long each took from its creation until it was CONFIRMED, in ms
     */
    async delays(count: number, pauseMs: number): Promise<number[]> {
      const answers: Promise<Response>[] = [];
      for (let n = 0; n < count; n += 1) {
        await sleep(pauseMs);
        const { headers, body } = place.unique();
        answers.push(fetch(place.url, { method: place.method, headers: { ...place.headers, ...headers }, body }));
      }
      const statuses = new Set((await Promise.all(answers)).map(({ status }) => status));
      if (statuses.size !== 1 || !statuses.has(201)) throw new Error(`Orders were answered by ${[...statuses]}.`);
      await untilHandled();
      // The timestamp is taken just before the commit of the order's last change.
      const rows = await queryOnce<{ status: string; ms: number }>(
        database,
        `select status, (extract(epoch from pg_xact_commit_timestamp(xmin) - created_at) * 1000)::float8 as ms
         from orders order by created_at desc limit ${count}`,
      );
      if (rows.some(({ status }) => status !== 'CONFIRMED')) throw new Error('Not every order was confirmed.');
      return rows.map(({ ms }) => ms);
    },
  };
}

/** Waits until a query finds nothing. One connection, because a new one for each query would add to the measured cost. */
async function untilNone(description: string, connectionString: string, query: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await until(description, async () => (await client.query(query)).rowCount === 0, patience);
  await client.end();
}
