import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { useFolder } from '../kit/folder.ts';
import { queryOnce, useDatabase } from '../kit/postgres/database.ts';
import { useServices } from '../kit/service-process.ts';

/** How long a reading transaction stays open. UPGRADE_SECONDS=600 stands for a report or a dump of ten minutes. */
const seconds = Number(process.env.UPGRADE_SECONDS ?? 15);

const [orders, products] = [useDatabase('order'), useDatabase('product')];
const folder = useFolder();
const startService = useServices();
const start = (entry: string, env: Record<string, string>) =>
  startService(entry, { AUTH_URL: 'http://127.0.0.1:1', ...env });

/** Starts a stand-in for a replica of the next release: only its migrations matter, not its code. */
async function startNext(sql: string) {
  await mkdir(join(folder, '99999999_next'));
  await writeFile(join(folder, '99999999_next', 'migration.sql'), sql);
  const MIGRATIONS = `${pathToFileURL(folder)}/`;
  return start('services/shared/test/_tiny-service.ts', { DATABASE_URL: orders.url, GREETING: 'next', MIGRATIONS });
}

interface Answer {
  request: string;
  status: number;
  ms: number;
}

/** Customers who place, read and list orders one after another until `stop`. */
function startCustomers(order: string, productId: string, count: number) {
  const answers: Answer[] = [];
  let stopped = false;
  async function ask(accountId: string, method: string, path: string, body?: object) {
    const begun = performance.now();
    const response = await fetch(order + path, {
      method,
      headers: { 'id-account': accountId, ...(body && { 'content-type': 'application/json' }) },
      body: body && JSON.stringify(body),
    });
    const text = await response.text();
    answers.push({ request: `${method} ${path.slice(0, 8)}`, status: response.status, ms: performance.now() - begun });
    return JSON.parse(text);
  }
  async function act(): Promise<void> {
    const accountId = randomUUID();
    while (!stopped) {
      const placed = await ask(accountId, 'POST', '/orders', { items: [{ productId, quantity: 1 }] });
      await ask(accountId, 'GET', `/orders/${placed.id}`);
      await ask(accountId, 'GET', '/orders');
      await wait(100);
    }
  }
  const acting = Promise.all(Array.from({ length: count }, act));
  const stop = async () => {
    stopped = true;
    await acting;
  };
  return { answers, stop };
}

it(
  `an upgrade waits for a transaction that reads for ${seconds} s and says so, and no customer request fails`,
  async () => {
    const product = await start('services/product/src/main.ts', { DATABASE_URL: products.url });
    const order = await start('services/order/src/main.ts', { DATABASE_URL: orders.url, PRODUCT_URL: product.url });
    await Promise.all([product.ready(), order.ready()]);
    const created = await fetch(`${product.url}/products`, {
      method: 'POST',
      headers: { 'id-account': randomUUID(), 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Tea', price: 4.5, unit: '100 g' }),
    });
    const { id } = (await created.json()) as { id: string };
    const customers = startCustomers(order.url, id, 6);
    const reader = new pg.Client({ connectionString: orders.url });
    reader.on('error', () => undefined); // the end of a test that failed
    await reader.connect();
    await reader.query('begin; select count(*) from orders');

    const next = await startNext('alter table orders add column gift_wrap boolean not null default false;');
    await next.logs('A migration waits for others to be done with its tables');
    for (const end = Date.now() + seconds * 1000; Date.now() < end; await wait(1_000)) {
      expect((await next.get('/health/ready')).status).toBe(503);
      expect(await next.metrics()).toContain('\nmigration_waiting 1\n');
      expect((await order.get('/health/ready')).status).toBe(200);
    }
    await reader.end();
    await next.ready();
    // The previous release continues with statements that it prepared before the column existed.
    const placedBefore = customers.answers.length;
    await wait(2_000);
    await customers.stop();

    const { answers } = customers;
    expect(answers.filter(({ status }) => status >= 300)).toEqual([]);
    // Requests queue behind a migration that waits 1.5 s for its lock; the transaction delays them no longer.
    expect(Math.max(...answers.map(({ ms }) => ms))).toBeLessThan(4_000);
    expect(answers.length).toBeGreaterThan(placedBefore);
    const [stored] = await queryOnce<{ count: number }>(
      orders.url,
      'select count(*)::int from orders where not gift_wrap',
    );
    expect(stored?.count).toBe(answers.filter(({ request }) => request.startsWith('POST')).length);
    expect(next.lines.filter((line) => line.includes('A migration waits')).length).toBeGreaterThan(seconds / 10);
  },
  (seconds + 60) * 1000,
);
