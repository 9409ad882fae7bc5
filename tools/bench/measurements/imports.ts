import { writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { quantile } from 'simple-statistics';
import { queryOnce } from '../../../tests/kit/postgres/database.ts';
import { until } from '../../../tests/kit/until.ts';
import { figure } from '../figures.ts';
import { type Measurement, say } from '../measurement.ts';
import { residentMib } from '../process-usage.ts';

const lines = 100_000;
const headers = { 'id-account': crypto.randomUUID(), 'content-type': 'application/x-ndjson' };

/** Measures how long an import takes, new and repeated, what memory it adds, and how long other requests wait meanwhile. */
export const imports: Measurement = {
  name: 'imports',
  measuresMemory: true,
  components: ['product'],
  env: { PRODUCT_WRITERS: 'everybody' },
  async run(store) {
    const pid = store.component('product').pid();
    const url = store.url('product');
    await queryOnce(
      store.databaseUrl('product'),
      `insert into products (id, name, price, unit) values ('${other}', 'Tea', 1, 'kg')`,
    );
    for (let n = 0; n < 200; n += 1) await (await fetch(`${url}/products/${other}`)).text();
    const before = await residentMib(pid);
    await writeFile(`/proc/${pid}/clear_refs`, '5'); // the peak from now on
    const delays: number[] = [];
    const asking = { on: true };
    const asked = ask(url, delays, asking);
    const first = await importAll(url);
    const again = await importAll(url);
    asking.on = false;
    await asked;
    const { peak } = await residentMib(pid);
    const { length } = Buffer.from(lineOf(lines - 1));
    const size = `${Math.round((lines * length) / 2 ** 20)} MiB`;
    const others = `p50 ${quantile(delays, 0.5).toFixed(1)} ms, longest ${Math.max(...delays).toFixed()} ms`;
    return [
      figure('import', first.seconds, `${size}; of it ${first.uploadSeconds.toFixed(1)} s to receive`, lines),
      figure('importAgain', again.seconds, `of it ${again.uploadSeconds.toFixed(1)} s to receive`, lines),
      figure('importMemory', peak - before.now, `before ${before.now.toFixed()} MiB, peak ${peak.toFixed()} MiB`),
      figure('importOthers', quantile(delays, 0.95), others),
    ];
  },
};

const other = crypto.randomUUID();
const lineOf = (n: number) =>
  `${JSON.stringify({
    ...{ sku: `SKU-${n}`, name: `Product number ${n}`, price: (100 + (n % 1_000)) / 100, unit: 'piece' },
    ...{ category: `Category ${n % 50}`, description: `What product ${n} is. `.repeat(8) },
    images: [{ url: `https://images.example.com/${n}.jpg`, alt: `Product ${n}` }],
  })}\n`;

function* file(): Generator<string> {
  for (let n = 0; n < lines; n += 100) yield Array.from({ length: 100 }, (_, m) => lineOf(n + m)).join('');
}

async function importAll(url: string): Promise<{ seconds: number; uploadSeconds: number }> {
  const start = performance.now();
  const seconds = () => (performance.now() - start) / 1_000;
  const init = { method: 'POST', headers, body: Readable.from(file(), { objectMode: false }), duplex: 'half' };
  const answer = await fetch(`${url}/products/imports`, init as unknown as RequestInit);
  const begun = (await answer.json()) as { id: string; detail?: string };
  if (answer.status !== 202) throw new Error(begun.detail);
  const uploadSeconds = seconds();
  await until(
    'the import is done',
    async () => {
      const job = (await (await fetch(`${url}/products/imports/${begun.id}`, { headers })).json()) as Record<
        string,
        unknown
      >;
      say(`imports: ${job.linesRead} lines read`);
      if (job.failed !== 0 || job.state === 'INTERRUPTED') throw new Error(JSON.stringify(job));
      return job.state === 'DONE';
    },
    { timeoutMs: 300_000, intervalMs: 250 },
  );
  return { seconds: seconds(), uploadSeconds };
}

/** Reads a product as a customer would, again and again. */
async function ask(url: string, delays: number[], asking: { on: boolean }): Promise<void> {
  while (asking.on) {
    const start = performance.now();
    await (await fetch(`${url}/products/${other}`)).text();
    delays.push(performance.now() - start);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
