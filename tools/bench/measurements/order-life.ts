import { randomUUID } from 'node:crypto';
import { orderEventsTopic } from '@store/shared/messaging/topics';
import autocannon from 'autocannon';
import pg from 'pg';
import { quantile } from 'simple-statistics';
import type { Store } from '../../local/store.ts';
import { topology } from '../../topology/topology.ts';
import { kafkaOf } from '../baselines/events.ts';
import { startBaseline } from '../baselines/start-baseline.ts';
import { login } from '../customer.ts';
import { nowMs, until } from '../load.ts';
import type { Measurement } from '../measurement.ts';
import { familyCpuMs } from '../process-usage.ts';
import { fillCatalogue } from './products.ts';
import { saga } from './saga.ts';

const connections = 16;
/** Until V8 has compiled the hot code of all processes. Together with what is measured, shorter than until the first shipment. */
const warmUpSeconds = 20;
const seconds = 15;

/**
 * What an order costs all processes together, from the request at the gateway until it is CONFIRMED and every group has
 * handled its events, beside a server that only stores it.
 */
export const orderLife: Measurement = {
  name: 'order-life',
  components: saga.components,
  env: { SHIP_AFTER_SECONDS: '60' },
  gateway: { limits: { requests: { perSecond: 1_000_000, burst: 1_000_000 } } },
  async run({ store, log }) {
    await fillCatalogue(store.databaseUrl('product'));
    const products = await productIds(store.url('product'));
    const database = new pg.Client({ connectionString: store.databaseUrl('order') });
    const admin = kafkaOf(store.kafkaBrokers).admin();
    await Promise.all([database.connect(), admin.connect()]);
    try {
      const headers = { cookie: await login(store.url('auth')) };
      const live = async (forSeconds: number) => {
        const sent = await placeOrders(store.gatewayUrl, headers, products, forSeconds);
        await until('no order is PENDING', async () => {
          const { rowCount } = await database.query(`select from orders where status = 'PENDING' limit 1`);
          return rowCount === 0;
        });
        await until('all groups have caught up', async () => {
          const ends = await admin.fetchTopicOffsets(orderEventsTopic);
          const committed = Object.keys(topology.groups).map(async (groupId) => {
            const [offsets] = await admin.fetchOffsets({ groupId, topics: [orderEventsTopic] });
            return ends.every(({ partition, high }) =>
              offsets?.partitions.some((one) => one.partition === partition && one.offset === high),
            );
          });
          return (await Promise.all(committed)).every(Boolean);
        });
        return sent;
      };

      log(`warming up, then placing orders on ${connections} connections for ${seconds} s`);
      await live(warmUpSeconds);
      const before = await cpuOf(store);
      const startedAt = nowMs();
      const sent = await live(seconds);
      const perSecond = (1000 * sent.size) / (nowMs() - startedAt);
      const costs = [...(await cpuOf(store))]
        .map(([name, ms]): [string, number] => [name, (ms - (before.get(name) ?? 0)) / sent.size])
        .sort(([, a], [, b]) => b - a);
      const delays = await delaysUntilConfirmed(database, sent);

      await store.component('order-worker').stop(); // its relay would publish the events of the bare server
      const bare = await bareCost(store, products, log);
      return [
        {
          name: 'An order from its request to CONFIRMED and all groups, CPU of all processes',
          measured: `${costs.map(([name, ms]) => `${name} ${ms.toFixed(2)}`).join(', ')}; only stored by node:http and pg ${bare.toFixed(2)}`,
          ...{ result: costs.reduce((sum, [, ms]) => sum + ms, 0), unit: 'ms', atMost: 10 },
        },
        {
          name: `The same, orders per second in a closed loop of ${connections} connections`,
          measured: `${sent.size} orders, until all groups have caught up`,
          ...{ result: perSecond, unit: 'per s', atLeast: 180 },
        },
        {
          name: 'The same, placed to CONFIRMED under this load, p50',
          measured: `p99 ${quantile(delays, 0.99).toFixed()} ms`,
          ...{ result: quantile(delays, 0.5), unit: 'ms' },
        },
      ];
    } finally {
      await Promise.all([database.end(), admin.disconnect()]);
    }
  },
};

async function productIds(productUrl: string): Promise<string[]> {
  const products = (await (await fetch(`${productUrl}/products?size=100`)).json()) as { id: string }[];
  return products.map(({ id }) => id);
}

/** Places orders of three lines on all connections without a pause. @returns when the order of each id was sent */
async function placeOrders(
  url: string,
  headers: Record<string, string>,
  products: string[],
  duration: number,
): Promise<Map<string, number>> {
  const sent = new Map<string, number>();
  const body = () => {
    const first = Math.floor(Math.random() * (products.length - 2));
    return JSON.stringify({
      items: products.slice(first, first + 3).map((productId) => ({ productId, quantity: 1 })),
    });
  };
  const request: autocannon.Request = {
    method: 'POST',
    setupRequest(prepared, context) {
      Object.assign(context, { sentAt: nowMs() });
      const unique = { 'content-type': 'application/json', 'idempotency-key': randomUUID() };
      return { ...prepared, headers: { ...headers, ...unique }, body: body() };
    },
    onResponse(status, text, context) {
      if (status === 201) sent.set(JSON.parse(text).id, (context as { sentAt: number }).sentAt);
    },
  };
  const result = await autocannon({ url: `${url}/orders`, connections, duration, requests: [request] });
  const failed = result.errors + result.non2xx;
  if (failed > 0) throw new Error(`${failed} of ${result.requests.total} requests to ${url}/orders failed.`);
  return sent;
}

/** @throws Error if one of them is not CONFIRMED */
async function delaysUntilConfirmed(database: pg.Client, sent: Map<string, number>): Promise<number[]> {
  // Taken just before the commit of the order's last change.
  const { rows } = await database.query<{ id: string; at: number }>(
    `select id, (extract(epoch from pg_xact_commit_timestamp(xmin)) * 1000)::float8 as at
     from orders where id = any($1::uuid[]) and status = 'CONFIRMED'`,
    [[...sent.keys()]],
  );
  if (rows.length < sent.size) throw new Error(`${sent.size - rows.length} orders were not confirmed.`);
  return rows.map(({ id, at }) => at - (sent.get(id) ?? NaN));
}

/** CPU time of each component so far, in ms. */
async function cpuOf(store: Store): Promise<Map<string, number>> {
  const names = ['gateway', 'postgres', 'kafka', ...topology.services.map(({ name }) => name)].filter(store.has);
  return new Map(
    await Promise.all(names.map(async (name) => [name, await familyCpuMs(store.component(name).pid())] as const)),
  );
}

/** CPU time of a bare server and PostgreSQL for an order that is only stored, in ms. */
async function bareCost(store: Store, products: string[], log: (line: string) => void): Promise<number> {
  const baseline = await startBaseline('orders.ts', store.databaseUrl('order'), log);
  try {
    const pids = [baseline.pid(), store.component('postgres').pid()];
    const cpu = async () => (await Promise.all(pids.map(familyCpuMs))).reduce((sum, ms) => sum + ms, 0);
    const place = (forSeconds: number) =>
      placeOrders(baseline.url, { 'id-account': randomUUID() }, products, forSeconds);
    await place(3);
    const before = await cpu();
    const sent = await place(5);
    return ((await cpu()) - before) / sent.size;
  } finally {
    await baseline.stop();
  }
}
