import { orderEventsTopic } from '@store/shared/messaging/topics';
import { Kafka, logLevel } from 'kafkajs';
import pg from 'pg';
import type { Store } from '../local/store.ts';
import { topology } from '../topology/topology.ts';
import { login, orderPlacer, type Placed, productIds } from './customer.ts';
import { fillCatalogue } from './database.ts';
import { atRate, nowMs, until } from './load.ts';
import { cpuOf } from './process-usage.ts';

/** Connections of a closed loop. */
export const connections = 16;

/**
 * Loads a store with orders at the gateway, and waits each time until all groups have handled their events.
 * @param options isShipped: an order is waited for until it is shipped, not only until it is CONFIRMED
 */
export async function openOrderLoad(store: Store, { isShipped = false } = {}) {
  await fillCatalogue(store.databaseUrl('product'));
  const products = await productIds(store.url('product'));
  const place = orderPlacer(store.gatewayUrl, products, { cookie: await login(store.url('auth')) });
  const unfinished = `status = 'PENDING'${isShipped ? ` or status = 'CONFIRMED' and shipped_at is null` : ''}`;
  const database = new pg.Client({ connectionString: store.databaseUrl('order') });
  const admin = new Kafka({ brokers: store.kafkaBrokers, clientId: 'bench', logLevel: logLevel.NOTHING }).admin();
  await Promise.all([database.connect(), admin.connect()]);

  async function untilHandled(): Promise<void> {
    await until('no order is in progress', async () => {
      const { rowCount } = await database.query(`select from orders where ${unfinished} limit 1`);
      return rowCount === 0;
    });
    await until('all groups have caught up', async () => {
      const ends = await admin.fetchTopicOffsets(orderEventsTopic);
      const committed = Object.keys(topology.groups).map(async (groupId) => {
        const [offsets] = await admin.fetchOffsets({ groupId, topics: [orderEventsTopic] });
        const offsetOf = (partition: number) => offsets?.partitions.find((one) => one.partition === partition)?.offset;
        return ends.every(({ partition, high }) => high === '0' || offsetOf(partition) === high);
      });
      return (await Promise.all(committed)).every(Boolean);
    });
  }

  /** Times from the request until the order was CONFIRMED, in ms. @throws Error if one of them is not */
  async function delaysOf(placed: Placed[]): Promise<number[]> {
    // Taken just before the commit of the order's last change.
    const { rows } = await database.query<{ id: string; at: number }>(
      `select id, (extract(epoch from pg_xact_commit_timestamp(xmin)) * 1000)::float8 as at
       from orders where id = any($1::uuid[]) and status = 'CONFIRMED'`,
      [placed.map(({ id }) => id)],
    );
    if (rows.length < placed.length) throw new Error(`${placed.length - rows.length} orders were not confirmed.`);
    const confirmedAt = new Map(rows.map(({ id, at }) => [id, at]));
    return placed.map(({ id, sentAt }) => (confirmedAt.get(id) ?? NaN) - sentAt);
  }

  return {
    /** Places orders on all connections without a pause. */
    async closedLoop(seconds: number) {
      const before = await cpuOf(store);
      const startedAt = nowMs();
      let count = 0;
      const connection = async () => {
        for (; nowMs() < startedAt + 1000 * seconds; count += 1) await place();
      };
      await Promise.all(Array.from({ length: connections }, connection));
      await untilHandled();
      const perSecond = (1000 * count) / (nowMs() - startedAt);
      const after = await cpuOf(store);
      /** CPU ms of an order by component, the most expensive first. */
      const costs = [...after]
        .map(([name, ms]): [string, number] => [name, (ms - (before.get(name) ?? 0)) / count])
        .sort(([, a], [, b]) => b - a);
      return { count, perSecond, costs, cost: costs.reduce((sum, [, ms]) => sum + ms, 0) };
    },

    /** Returns how long each of so many orders per second took to be CONFIRMED, in ms. */
    async delays(perSecond: number, seconds: number): Promise<number[]> {
      const placed = await atRate(perSecond, seconds, place);
      await untilHandled();
      return delaysOf(placed);
    },

    close: () => Promise.all([database.end(), admin.disconnect()]),
  };
}
