import { randomUUID } from 'node:crypto';
import { orderEventsTopic } from '@store/shared/messaging/topics';
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

/** A customer who places orders. */
export interface Customer {
  /** The gateway's, or that of a replica of the order service. */
  url: string;
  /** Identify the customer: a cookie at the gateway, id-account at the service. */
  headers: Record<string, string>;
}

export interface Load {
  /** Divided among the customers. */
  connections: number;
  seconds: number;
  /** Returns the items of the next order. */
  items: () => Item[];
}

/** Times of an order that was answered with 201, in ms since the epoch. */
interface Placed {
  sentAt: number;
  answeredAt: number;
}

/** Places orders on all connections without a pause, and waits for the last replies. @returns the orders by id */
export async function placeOrders(customers: Customer[], load: Load): Promise<Map<string, Placed>> {
  const placed = new Map<string, Placed>();
  const end = nowMs() + 1000 * load.seconds;
  const connection = async (_: unknown, index: number) => {
    const { url, headers } = customers[index % customers.length] ?? {};
    for (let sentAt = nowMs(); sentAt < end; sentAt = nowMs()) {
      const response = await fetch(`${url}/orders`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': randomUUID(), ...headers },
        body: JSON.stringify({ items: load.items() }),
      });
      const text = await response.text();
      if (response.status !== 201) throw new Error(`POST ${url}/orders returned ${response.status}: ${text}`);
      placed.set(JSON.parse(text).id, { sentAt, answeredAt: nowMs() });
    }
  };
  await Promise.all(Array.from({ length: load.connections }, connection));
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

/** A new customer, at the gateway. */
export async function newCustomer(store: Store): Promise<Customer> {
  return { url: store.gatewayUrl, headers: { cookie: await login(store.url('auth')) } };
}

/** All processes of a store by component. */
export function processesOf(store: Store): Map<string, SupervisedProcess> {
  const names = ['gateway', 'postgres', 'kafka', ...topology.services.map(({ name }) => name)];
  return new Map(names.filter(store.has).map((name) => [name, store.component(name)]));
}

export type OrderLoad = Awaited<ReturnType<typeof openOrderLoad>>;

/**
 * Loads a store with orders and measures what they cost until all groups have handled their events.
 * @param options isShipped: orders are measured until they are shipped, not only until they are CONFIRMED
 */
export async function openOrderLoad(store: Store, customers: Customer[], { isShipped = false } = {}) {
  const processes = processesOf(store);
  const unfinished = `status = 'PENDING'${isShipped ? ` or status = 'CONFIRMED' and shipped_at is null` : ''}`;
  const database = new pg.Client({ connectionString: store.databaseUrl('order') });
  const admin = kafkaOf(store.kafkaBrokers).admin();
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

  return {
    /** Places orders and waits until all groups have handled their events. */
    async run(load: Load) {
      const before = await cpuOf(processes);
      const startedAt = nowMs();
      const placed = await placeOrders(customers, load);
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
async function cpuOf(processes: Map<string, SupervisedProcess>): Promise<Map<string, number>> {
  const times = [...processes].map(async ([name, process]) => [name, await familyCpuMs(process.pid())] as const);
  return new Map(await Promise.all(times));
}
