import { randomUUID } from 'node:crypto';
import { orderEventsTopic } from '@store/shared/messaging/topics';
import autocannon from 'autocannon';
import pg from 'pg';
import type { SupervisedProcess } from '../local/components/supervised-process.ts';
import type { Store } from '../local/store.ts';
import { topology } from '../topology/topology.ts';
import { kafkaOf } from './baselines/events.ts';
import { login } from './customer.ts';
import { nowMs, until } from './load.ts';
import { familyCpuMs } from './process-usage.ts';

export interface Item {
  productId: string;
  quantity: number;
}

/** Where orders are placed, and by whom. */
export interface Entrance {
  /** The gateway, or replicas of the order service, among which the connections are divided. */
  urls: string[];
  /** Identify the customer: a cookie at the gateway, id-account at the service. */
  headers: Record<string, string>;
}

export interface Load {
  connections: number;
  seconds: number;
  /** Of the next order. */
  items: () => Item[];
}

/** Of an order that was answered with 201, in ms since the epoch. */
interface Placed {
  sentAt: number;
  answeredAt: number;
}

/** Places orders on all connections without a pause. @returns the orders by id */
export async function placeOrders({ urls, headers }: Entrance, load: Load): Promise<Map<string, Placed>> {
  const placed = new Map<string, Placed>();
  const request: autocannon.Request = {
    method: 'POST',
    setupRequest(prepared, context) {
      Object.assign(context, { sentAt: nowMs() });
      const unique = { 'content-type': 'application/json', 'idempotency-key': randomUUID() };
      return { ...prepared, headers: { ...headers, ...unique }, body: JSON.stringify({ items: load.items() }) };
    },
    onResponse(status, text, context) {
      const { sentAt } = context as { sentAt: number };
      if (status === 201) placed.set(JSON.parse(text).id, { sentAt, answeredAt: nowMs() });
    },
  };
  const connections = load.connections / urls.length;
  await Promise.all(
    urls.map(async (url) => {
      const options = { connections, duration: load.seconds, requests: [request] };
      const result = await autocannon({ url: `${url}/orders`, ...options });
      const failed = result.errors + result.non2xx;
      if (failed > 0) throw new Error(`${failed} of ${result.requests.total} requests to ${url}/orders failed.`);
    }),
  );
  return placed;
}

/** Three of the products, one piece of each. */
export const threeOf = (products: string[]) => (): Item[] => {
  const first = Math.floor(Math.random() * (products.length - 2));
  return products.slice(first, first + 3).map((productId) => ({ productId, quantity: 1 }));
};

/** The first hundred. */
export async function productIds(productUrl: string): Promise<string[]> {
  const products = (await (await fetch(`${productUrl}/products?size=100`)).json()) as { id: string }[];
  return products.map(({ id }) => id);
}

/** A customer of the store, at its gateway. */
export async function customerAt(store: Store): Promise<Entrance> {
  return { urls: [store.gatewayUrl], headers: { cookie: await login(store.url('auth')) } };
}

/** All processes of a store by component, without replicas. */
export function processesOf(store: Store): Map<string, SupervisedProcess[]> {
  const names = ['gateway', 'postgres', 'kafka', ...topology.services.map(({ name }) => name)];
  return new Map(names.filter(store.has).map((name) => [name, [store.component(name)]]));
}

export type OrderLoad = Awaited<ReturnType<typeof openOrderLoad>>;

/** Loads a store with orders and measures what they cost until they have reached a final state. */
export async function openOrderLoad(store: Store, entrance: Entrance, processes = processesOf(store)) {
  const database = new pg.Client({ connectionString: store.databaseUrl('order') });
  const admin = kafkaOf(store.kafkaBrokers).admin();
  await Promise.all([database.connect(), admin.connect()]);

  async function untilHandled(): Promise<void> {
    await until('no order is PENDING', async () => {
      const { rowCount } = await database.query(`select from orders where status = 'PENDING' limit 1`);
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

  return {
    /** Places orders and waits until none is PENDING and all groups have handled their events. */
    async run(load: Load) {
      const before = await cpuOf(processes);
      const startedAt = nowMs();
      const placed = await placeOrders(entrance, load);
      await untilHandled();
      const perSecond = (1000 * placed.size) / (nowMs() - startedAt);
      const after = await cpuOf(processes);
      /** CPU ms of an order by component, the most expensive first. */
      const costs = [...after]
        .map(([name, ms]): [string, number] => [name, (ms - (before.get(name) ?? 0)) / placed.size])
        .sort(([, a], [, b]) => b - a);
      const replies = [...placed.values()].map(({ sentAt, answeredAt }) => answeredAt - sentAt);
      return { placed, perSecond, costs, cost: costs.reduce((sum, [, ms]) => sum + ms, 0), replies };
    },

    /** From the request until the order was CONFIRMED, in ms. @throws Error if one of them is not */
    async delaysUntilConfirmed(placed: Map<string, Placed>): Promise<number[]> {
      // Taken just before the commit of the order's last change.
      const { rows } = await database.query<{ id: string; at: number }>(
        `select id, (extract(epoch from pg_xact_commit_timestamp(xmin)) * 1000)::float8 as at
         from orders where id = any($1::uuid[]) and status = 'CONFIRMED'`,
        [[...placed.keys()]],
      );
      if (rows.length < placed.size) throw new Error(`${placed.size - rows.length} orders were not confirmed.`);
      return rows.map(({ id, at }) => at - (placed.get(id)?.sentAt ?? NaN));
    },

    close: () => Promise.all([database.end(), admin.disconnect()]),
  };
}

/** CPU time of each component so far, in ms. */
async function cpuOf(processes: Map<string, SupervisedProcess[]>): Promise<Map<string, number>> {
  const sums = [...processes].map(async ([name, replicas]) => {
    const times = await Promise.all(replicas.map((replica) => familyCpuMs(replica.pid())));
    return [name, times.reduce((sum, ms) => sum + ms, 0)] as const;
  });
  return new Map(await Promise.all(sums));
}
