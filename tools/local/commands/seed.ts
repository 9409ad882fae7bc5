import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { Command } from 'commander';
import { execa } from 'execa';
import pMap from 'p-map';
import { createStore } from '../../../clients/typescript/src/index.ts';
import { cacheDir, root } from '../../paths.ts';
import { runCommand } from '../../run-command.ts';
import { openPasswords } from '../components/postgres.ts';
import { localUrl } from '../components/services.ts';
import { fixedPorts } from '../ports.ts';

const productCount = 1000;
const stationCount = 100;
const instantCount = 2000;
const namePrefix = 'Sample';
const kinds = ['tea', 'coffee', 'biscuits', 'honey', 'rice', 'lentils', 'olive oil', 'soap', 'candles', 'paper'];
const units = ['box', 'kg', 'packet', 'litre', 'piece'];
const areas = ['centre', 'harbour', 'campus', 'hills'];

const account = randomUUID();
const send: typeof fetch = (input, init) => {
  const request = new Request(input, init);
  request.headers.set('id-account', account); // as the gateway would
  return fetch(request);
};

/** Adds products by the API, which validates them. Existing ones are skipped. */
async function seedProducts(url: string): Promise<void> {
  const store = createStore({ url, fetch: send });
  const existing = new Set<string>();
  for await (const { name } of store.each('listProducts', { query: { size: 1000, q: namePrefix } })) existing.add(name);
  const products = Array.from({ length: productCount }, (_, index) => ({
    name: `${namePrefix} ${kinds[index % kinds.length]} ${String(index + 1).padStart(4, '0')}`,
    price: (25 + ((index * 7919) % 9975)) / 100,
    unit: units[index % units.length] ?? '',
  }));
  const missing = products.filter(({ name }) => !existing.has(name));
  await pMap(missing, (body) => store.createProduct({ body }), { concurrency: 16 });
  console.log(`products: ${missing.length || 'none'} added, ${products.length - missing.length} existed`);
}

/** Adds records by the import command, which adds all or none. */
async function seedStatusRecords(url: string, databasePort: number): Promise<void> {
  const kept = await createStore({ url, fetch: send }).listStatus({ query: { limit: 1 } });
  if (kept.length > 0) return console.log('status records: none added, some existed');
  const passwords = await openPasswords(join(cacheDir, 'data/postgres'));
  const login = `status:${passwords.known('status')}`;
  await execa(process.execPath, [join(root, 'services/status/dist/import.js'), '-'], {
    env: { DATABASE_URL: `postgresql://${login}@127.0.0.1:${databasePort}/status` },
    input: Readable.from(csv()),
    stdout: 'ignore',
    stderr: 'inherit',
  });
  const count = (stationCount * instantCount).toLocaleString('en');
  console.log(`status records: ${count} added, of ${stationCount} stations`);
}

/** All stations report at the same instant, every ten minutes. */
function* csv() {
  yield 'station_id,bikes_available,docks_available,time,category1,category2\n';
  for (let instant = 0; instant < instantCount; instant++) {
    const time = new Date(Date.UTC(2026, 0, 1) + instant * 600_000).toISOString();
    let lines = '';
    for (let station = 1; station <= stationCount; station++) {
      const bikes = (station * 31 + instant * 17 + ((station * instant) % 7)) % 25;
      const area = areas[station % areas.length];
      lines += `${station},${bikes},${24 - bikes},${time},${area},${bikes === 0 ? 'empty' : ''}\n`;
    }
    yield lines;
  }
}

async function seed(): Promise<void> {
  const ports = fixedPorts();
  const product = localUrl(ports.of('product'));
  const ready = await fetch(`${product}/health/ready`).catch(() => undefined);
  if (!ready?.ok) throw new Error('The store is not running: start it with make run.');
  await seedProducts(product);
  await seedStatusRecords(localUrl(ports.of('status')), ports.of('postgres'));
}

const command = new Command('make seed')
  .description('Adds 1,000 products and 200,000 status records to the running store. Can be repeated.')
  .action(seed);

await runCommand(command);
