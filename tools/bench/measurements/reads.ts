import { deepStrictEqual } from 'node:assert';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { alternate } from '../alternate.ts';
import { startBaseline } from '../baselines/start-baseline.ts';
import { orderPlacer } from '../customer.ts';
import type { Log, Measurement } from '../measurement.ts';
import { cpuPerThousand } from '../rates.ts';
import type { Row } from '../report.ts';
import { fillCatalogue } from './products.ts';

const amount = 5_000;
const account = randomUUID();

/** CPU time of a service for one row of its own, compared with a bare server that reads the same row. */
export const reads: Measurement = {
  name: 'reads',
  components: ['account', 'product', 'order'],
  async run({ store, log }) {
    await Promise.all([fillCatalogue(store.databaseUrl('product')), insertAccount(store.databaseUrl('account'))]);
    const place = await orderPlacer(store.url('order'), store.url('product'), { 'id-account': account });
    const side = (name: string) => ({
      url: store.url(name),
      database: store.databaseUrl(name),
      pid: () => store.component(name).pid(),
    });
    return [
      await compareCpu(
        'GET /products/{id}',
        `/products/${await productId(store.url('product'))}`,
        side('product'),
        log,
      ),
      // By a call of Prisma's (decisions/0007).
      await compareCpu('GET /accounts', '/accounts', side('account'), log, 0.6),
      await compareCpu('GET /orders/{id}', `/orders/${(await place()).id}`, side('order'), log),
    ];
  },
};

async function productId(url: string): Promise<string> {
  const [product] = (await (await fetch(`${url}/products?size=1`)).json()) as { id: string }[];
  return product?.id ?? '';
}

interface Side {
  url: string;
  database: string;
  pid: () => number | undefined;
}

async function compareCpu(name: string, path: string, service: Side, log: Log, atMost = 0.4): Promise<Row> {
  const headers = { 'id-account': account };
  const baseline = await startBaseline('reads.ts', service.database, log);
  try {
    const [answered, expected] = await Promise.all(
      [service.url, baseline.url].map(async (url) => (await fetch(url + path, { headers })).json()),
    );
    deepStrictEqual(answered, expected);
    const cost =
      (of: string, { url, pid }: Pick<Side, 'url' | 'pid'>) =>
      async () => {
        const [ms = NaN] = await cpuPerThousand({ url: url + path, headers }, amount, [pid()]);
        log(`${of}: ${ms.toFixed()} CPU ms per 1000 requests`);
        return ms / 1000;
      };
    const { first, second } = await alternate(
      { rounds: 5, warmUp: 2 },
      cost(`${name} of the service`, service),
      cost(`${name} of the baseline`, baseline),
    );
    return {
      name: `${name}, CPU of the service`,
      measured: `against ${second.toFixed(2)} ms of a bare server`,
      result: first,
      unit: 'ms',
      atMost,
    };
  } finally {
    await baseline.stop();
  }
}

async function insertAccount(database: string): Promise<void> {
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  try {
    await client.query(
      `insert into accounts (id, name, email, password_hash, created_at)
       values ($1, 'Bench', 'reads@example.com', '', date_trunc('milliseconds', now()))`,
      [account],
    );
  } finally {
    await client.end();
  }
}
