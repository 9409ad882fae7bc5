import { request } from 'node:http';
import { queryOnce, useDatabase } from '../../../tests/kit/postgres/database.ts';
import { useServices } from '../../../tests/kit/service-process.ts';
import { until } from '../../../tests/kit/until.ts';
import { accountId } from './_app.ts';
import { lines, ndjson } from './_imports.ts';

const database = useDatabase('product', 'each');
const startService = useServices();
const entry = 'services/product/src/main.ts';
const headers = { 'id-account': accountId, 'content-type': 'application/x-ndjson' };

type Job = Record<'state' | 'id', string> & Record<'lines' | 'linesRead' | 'created' | 'unchanged' | 'failed', number>;

async function started() {
  const service = await startService(entry, { DATABASE_URL: database.url, APP_PROFILE: 'dev' });
  await service.ready();
  return service;
}
type Service = Awaited<ReturnType<typeof started>>;

async function upload({ url }: Service, body: string): Promise<Job> {
  const answer = await fetch(`${url}/products/imports`, { method: 'POST', headers, body });
  expect(answer.status).toBe(202);
  return (await answer.json()) as Job;
}
const show = async ({ url }: Service, id: string) =>
  (await (await fetch(`${url}/products/imports/${id}`, { headers })).json()) as Job;

async function ended(service: Service, id: string): Promise<Job> {
  await until('the import has ended', async () => !['RUNNING', 'RECEIVING'].includes((await show(service, id)).state), {
    timeoutMs: 60_000,
  });
  return show(service, id);
}
const products = () =>
  queryOnce<Record<string, unknown>>(database.url, 'select sku, name, price, version from products order by sku');
const count = async (table: string) =>
  (await queryOnce<{ count: number }>(database.url, `select count(*)::int as count from ${table}`))[0]?.count;

describe('a process that is killed', () => {
  const file = ndjson(lines(6_000));

  it('while it imports leaves the rest to another, which ends with the same rows, each written once', async () => {
    const first = await started();
    const { id } = await upload(first, file);
    // Whole parts, so that it dies in the middle of one.
    await until('some lines were imported', async () => Number(await count('products')) > 0);
    await first.end('SIGKILL');
    const before = Number(await count('products'));
    expect(before).toBeLessThan(6_000);
    const second = await started();
    expect(await ended(second, id)).toMatchObject({ state: 'DONE', linesRead: 6_000, created: 6_000, failed: 0 });
    const rows = await products();
    expect(rows).toHaveLength(6_000);
    expect(rows.every(({ version }) => version === 1)).toBe(true);
    expect(await count('audit')).toBe(6_000);
    const repeated = await ended(second, (await upload(second, file)).id);
    expect(repeated).toMatchObject({ state: 'DONE', created: 0, unchanged: 6_000 });
    expect(await products()).toEqual(rows);
    expect(await count('audit')).toBe(6_000);
  });

  it('while it receives has changed nothing, and shows the import as INTERRUPTED when its time is over', async () => {
    const first = await started();
    const sent = request(`${first.url}/products/imports`, { method: 'POST', headers });
    sent.on('error', () => undefined);
    sent.write(file.slice(0, 100_000));
    await until('a part was stored', async () => Number(await count('product_import_parts')) > 0);
    await first.end('SIGKILL');
    const second = await started();
    const [open] = await queryOnce<{ id: string }>(database.url, 'select id from product_imports');
    expect(await show(second, open?.id ?? '')).toMatchObject({ state: 'RECEIVING', linesRead: 0 });
    await queryOnce(database.url, `update product_imports set created_at = now() - interval '91 s'`);
    expect(await show(second, open?.id ?? '')).toMatchObject({ state: 'INTERRUPTED', linesRead: 0 });
    expect(await count('products')).toBe(0);
    expect(await ended(second, (await upload(second, file)).id)).toMatchObject({ state: 'DONE', created: 6_000 });
  });
});
