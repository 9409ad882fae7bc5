import { deepStrictEqual } from 'node:assert';
import { randomUUID } from 'node:crypto';
import type { Store } from '../../local/store.ts';
import { startBaseline } from '../baselines/start-baseline.ts';
import { orderPlacer, productIds } from '../customer.ts';
import { fillCatalogue, withDatabase } from '../database.ts';
import type { Log, Measurement } from '../measurement.ts';
import { compareCpu } from '../rates.ts';

const account = randomUUID();
const headers = { 'id-account': account };

/** CPU time of a service for one row of its own, compared with a bare server that reads the same row. */
export const reads: Measurement = {
  name: 'reads',
  components: ['account', 'product', 'order'],
  async run({ store, log }) {
    await Promise.all([fillCatalogue(store.databaseUrl('product')), insertAccount(store.databaseUrl('account'))]);
    const products = await productIds(store.url('product'));
    const order = await orderPlacer(store.url('order'), products, headers)();
    const rowOf = async (name: string, path: string, service: string, atMost = 0.4) => ({
      name: `${name}, CPU of the service`,
      ...(await cost(path, store, service, log)),
      atMost,
    });
    return [
      await rowOf('GET /products/{id}', `/products/${products[0]}`, 'product'),
      // By a call of Prisma's (decisions/0007).
      await rowOf('GET /accounts', '/accounts', 'account', 0.6),
      await rowOf('GET /orders/{id}', `/orders/${order.id}`, 'order'),
    ];
  },
};

async function cost(path: string, store: Store, service: string, log: Log) {
  const baseline = await startBaseline('reads.ts', store.databaseUrl(service), log);
  try {
    const sides = [
      { url: store.url(service) + path, headers, pid: store.component(service).pid },
      { url: baseline.url + path, headers, pid: baseline.pid },
    ] as const;
    const [answered, expected] = await Promise.all(
      sides.map(async ({ url }) => (await fetch(url, { headers })).json()),
    );
    deepStrictEqual(answered, expected);
    const { first, second } = await compareCpu(5_000, ...sides, log);
    return { measured: `against ${(second / 1000).toFixed(2)} ms of a bare server`, result: first / 1000, unit: 'ms' };
  } finally {
    await baseline.stop();
  }
}

const insertAccount = (database: string) =>
  withDatabase(database, (client) =>
    client.query(
      `insert into accounts (id, name, email, password_hash, created_at)
       values ($1, 'Bench', 'reads@example.com', '', date_trunc('milliseconds', now()))`,
      [account],
    ),
  );
