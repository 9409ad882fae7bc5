import { join } from 'node:path';
import { migrate } from '@store/shared/database/migrate';
import { useFolder } from '../../../../tests/kit/folder.ts';
import { queryOnce } from '../../../../tests/kit/postgres/database.ts';
import { type Postgres, startPostgres } from '../../../../tests/kit/postgres/server.ts';
import { freePort } from '../../../../tools/free-port.ts';
import { tea, testApp } from '../_app.ts';

// What the catalogue still answers while its own PostgreSQL hangs or is stopped.

let postgres: Postgres;
let product: ReturnType<typeof testApp>;
/** Process ids of PostgreSQL's backends for the service. */
let backends: number[];
let path: string;
let etag: string;

beforeAll(async () => {
  const log = () => undefined;
  postgres = await startPostgres({ dataDir: join(folder, 'data'), port: await freePort(), log });
  await postgres.createDatabase('product');
  const url = postgres.url('product');
  await migrate(url, new URL('../../prisma/migrations/', import.meta.url));
  product = testApp(url);
  path = (await product.post(tea).expect(201)).headers.location ?? '';
  // Replies are cached from the second request on, also the list by ids.
  for (const kept of ['/products', path, byId()]) for (const _ of [1, 2, 3]) await product.get(kept).expect(200);
  etag = (await product.get('/products').expect(200)).headers.etag ?? '';
  const rows = await queryOnce<{ pid: number }>(
    postgres.superuserUrl,
    "select pid from pg_stat_activity where datname = 'product'",
  );
  backends = rows.map(({ pid }) => pid);
});
afterAll(async () => {
  await product?.close();
  await postgres?.stop();
});
const folder = useFolder();

const byId = () => `/products?id=${path.split('/').at(-1)}`;
const signal = (name: NodeJS.Signals) => {
  for (const pid of [postgres.pid() ?? 0, ...backends]) process.kill(pid, name);
};

/** Expects cached replies within about a second each, and 503 for everything else, also for writes and the prices of an order. */
async function expectKeptReplies() {
  for (let n = 0; n < 3; n += 1) {
    const begun = performance.now();
    const answers = await Promise.all([
      product.get('/products').expect(200),
      product.get(path).expect(200),
      product.get('/products').set('If-None-Match', etag).expect(304),
    ]);
    expect(performance.now() - begun).toBeLessThan(2_000);
    expect(answers.map(({ body }) => body)).toMatchObject([[tea], tea, {}]);
  }
  const away = { status: 503, body: { type: 'urn:problem:store:database-away' } };
  const refused = [product.get(byId()), product.get('/products?page=1'), product.post(tea)];
  for (const answer of await Promise.all(refused)) expect(answer).toMatchObject(away);
}

it('while PostgreSQL hangs, cached pages and 304 still work; writes and prices of orders do not', async () => {
  signal('SIGSTOP');
  try {
    await expectKeptReplies();
  } finally {
    signal('SIGCONT');
  }
  await product.get(byId()).expect(200);
}, 60_000);

it('the same holds while PostgreSQL is stopped', async () => {
  await product.get('/products').expect(200);
  await postgres.stop();
  await expectKeptReplies();
}, 60_000);
