import { deepStrictEqual } from 'node:assert';
import { randomUUID } from 'node:crypto';
import type { Store } from '../../local/store.ts';
import { alternate } from '../alternate.ts';
import { startBaseline } from '../baselines/start-baseline.ts';
import { orderPlacer, productIds } from '../customer.ts';
import { fillCatalogue, withDatabase } from '../database.ts';
import type { Log, Measurement } from '../measurement.ts';
import { cpuPerThousand } from '../rates.ts';
import type { Row } from '../report.ts';

const amount = 5_000;
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
    return [
      await compareCpu('GET /products/{id}', `/products/${products[0]}`, store, 'product', log),
      // By a call of Prisma's (decisions/0007).
      await compareCpu('GET /accounts', '/accounts', store, 'account', log, 0.6),
      await compareCpu('GET /orders/{id}', `/orders/${order.id}`, store, 'order', log),
    ];
  },
};

async function compareCpu(
  name: string,
  path: string,
  store: Store,
  service: string,
  log: Log,
  atMost = 0.4,
): Promise<Row> {
  const baseline = await startBaseline('reads.ts', store.databaseUrl(service), log);
  try {
    const urls = [store.url(service) + path, baseline.url + path] as const;
    const [answered, expected] = await Promise.all(urls.map(async (url) => (await fetch(url, { headers })).json()));
    deepStrictEqual(answered, expected);
    const cost =
      (url: string, { pid }: { pid: () => number | undefined }) =>
      async () => {
        const [ms = NaN] = await cpuPerThousand({ url, headers }, amount, [pid()]);
        log(`${url}: ${ms.toFixed()} CPU ms per 1000 requests`);
        return ms / 1000;
      };
    const { first, second } = await alternate(
      { rounds: 5, warmUp: 2 },
      cost(urls[0], store.component(service)),
      cost(urls[1], baseline),
    );
    const measured = `against ${second.toFixed(2)} ms of a bare server`;
    return { name: `${name}, CPU of the service`, measured, result: first, unit: 'ms', atMost };
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
