import { randomUUID } from 'node:crypto';
import { rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import pMap from 'p-map';
import { type Store, startStore } from '../../../local/store.ts';
import { alternate } from '../../alternate.ts';
import { benchDir, type Measurement } from '../../measurement.ts';
import { familyCpuMs } from '../../process-usage.ts';
import type { Row } from '../../report.ts';
import { threeOf } from '../../whole-orders.ts';
import { fillLargeCatalogue, productCount } from '../search.ts';
import { accountId, fillOrders, ordersPerAccount } from './fill-orders.ts';

const components = ['product', 'order'];
const large = { accounts: 100_000, products: productCount };
const small = { accounts: 100, products: 10_000 };
/**
 * So many accounts, spread over all, are customers at the moment: what they touch, a page of 8 KiB for each row,
 * is in memory.
 */
const active = 200;
/** A fifth of the database of the large tables. Reading from disk costs more, and is no matter of the statements. */
const postgresSettings = { shared_buffers: '2GB' };
/** Rows, indexes, and the write-ahead log meanwhile. */
const neededGib = 20;
const concurrency = 16;

interface Side {
  store: Store;
  accounts: number;
}

/** Sends one request or one series of them. @returns how many requests it took */
type Work = () => Promise<number>;

/** Measures if requests cost more where the tables are a thousand times larger. */
export const scale: Measurement = {
  name: 'scale',
  components,
  keepsData: true,
  postgresSettings,
  takes: 'twenty minutes and 20 GiB the first time',
  async run({ store, log }) {
    const { bavail, bsize } = await statfs(benchDir);
    const freeGib = (bavail * bsize) / 2 ** 30;
    if (freeGib < neededGib)
      throw new Error(`${neededGib} GiB are needed in ${benchDir}, and ${freeGib.toFixed()} free.`);
    await fill(store, large);
    const dir = join(benchDir, 'small');
    await rm(join(dir, 'data'), { recursive: true, force: true });
    const other = await startStore({
      dir,
      components,
      log,
      ports: 'free',
      env: { APP_PROFILE: 'prod' },
      postgresSettings,
    });
    try {
      await fill(other, small);
      const sides = [
        { store, accounts: large.accounts },
        { store: other, accounts: small.accounts },
      ] as const;
      const rows: Row[] = [];
      for (const { name, service, series, workOf } of requests) {
        log(name);
        const [first, second] = await Promise.all(
          sides.map(async (side) => costOf(side.store, service, series, await workOf(side))),
        );
        if (first === undefined || second === undefined) throw new Error('There are two sides.');
        const measured = await alternate({ rounds: 3, warmUp: 2 }, first, second);
        log(`${measured.first.toFixed(2)} against ${measured.second.toFixed(2)} CPU ms`);
        rows.push({
          name,
          measured: `${measured.first.toFixed(2)} against ${measured.second.toFixed(2)} CPU ms of ${service} and PostgreSQL`,
          ...{ result: measured.ratio, atMost: 1.2 },
        });
      }
      return rows;
    } finally {
      await other.stop();
    }

    async function fill(where: Store, { accounts, products }: typeof large): Promise<void> {
      await fillOrders(where.databaseUrl('order'), accounts, log);
      await fillLargeCatalogue(where.databaseUrl('product'), products, log);
    }
  },
};

const ofOrders = `among ${(large.accounts * ordersPerAccount) / 1e6} million orders against ${small.accounts * ordersPerAccount}`;
const ofProducts = `among ${large.products / 1e6} million products against ${small.products}`;

const requests: { name: string; service: string; series: number; workOf: (side: Side) => Promise<Work> }[] = [
  { name: `GET /orders ${ofOrders}`, service: 'order', series: 1_000, workOf: async (side) => () => walk(side, 1) },
  {
    name: `All pages of GET /orders ${ofOrders}`,
    ...{ service: 'order', series: 200, workOf: async (side) => () => walk(side, Infinity) },
  },
  { name: `POST /orders, 3 items, ${ofOrders}`, service: 'order', series: 1_000, workOf: placing },
  {
    name: `GET /products?size=100 ${ofProducts}`,
    ...{
      service: 'product',
      series: 1_000,
      workOf:
        async ({ store }) =>
        () =>
          follow(`${store.url('product')}/products?size=100`, {}, 1),
    },
  },
  {
    name: `The first 100 pages of GET /products?size=100 ${ofProducts}`,
    ...{
      service: 'product',
      series: 8,
      workOf:
        async ({ store }) =>
        () =>
          follow(`${store.url('product')}/products?size=100`, {}, 100),
    },
  },
];

/** CPU ms of a service and PostgreSQL for one request. */
const costOf = (store: Store, service: string, series: number, work: Work) => async () => {
  const pids = [store.component(service).pid(), store.component('postgres').pid()];
  const cpu = async () => (await Promise.all(pids.map(familyCpuMs))).reduce((sum, ms) => sum + ms, 0);
  const before = await cpu();
  const counts = await pMap(Array(series).keys(), work, { concurrency });
  return ((await cpu()) - before) / counts.reduce((sum, count) => sum + count, 0);
};

const anyAccount = (accounts: number) => {
  const step = Math.max(accounts / active, 1);
  return accountId(Math.floor((Math.random() * accounts) / step) * step);
};

/** Pages of the orders of any account. */
const walk = ({ store, accounts }: Side, pages: number) => {
  const headers = { 'id-account': anyAccount(accounts) };
  return follow(`${store.url('order')}/orders`, headers, pages);
};

/** Reads a list and what follows. @returns the number of pages */
async function follow(list: string, headers: Record<string, string>, pages: number): Promise<number> {
  let next: string | undefined = list;
  let count = 0;
  for (; next !== undefined && count < pages; count += 1) {
    const response: Response = await fetch(next, { headers });
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`GET ${next} returned ${response.status}.`);
    const [, link] = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '') ?? [];
    next = link && new URL(link, next).href;
  }
  return count;
}

async function placing({ store, accounts }: Side): Promise<Work> {
  const response = await fetch(`${store.url('product')}/products?size=1000`);
  const items = threeOf(((await response.json()) as { id: string }[]).map(({ id }) => id));
  return async () => {
    const placed = await fetch(`${store.url('order')}/orders`, {
      method: 'POST',
      headers: {
        ...{ 'content-type': 'application/json', 'idempotency-key': randomUUID() },
        'id-account': anyAccount(accounts),
      },
      body: JSON.stringify({ items: items() }),
    });
    if (placed.status !== 201) throw new Error(`POST /orders returned ${placed.status}.`);
    await placed.arrayBuffer();
    return 1;
  };
}
