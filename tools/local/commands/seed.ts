import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { Command } from 'commander';
import { execa } from 'execa';
import pMap from 'p-map';
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

const headers = { 'content-type': 'application/json', 'id-account': randomUUID() };

async function request(url: URL | string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(url, { headers, ...init });
  if (!response.ok) throw new Error(`${url} returned ${response.status}: ${await response.text()}`);
  return response;
}

/** By the API, which validates them. Existing ones are skipped. */
async function seedProducts(url: string): Promise<void> {
  const existing = await existingNames(url);
  const products = Array.from({ length: productCount }, (_, index) => ({
    name: `${namePrefix} ${kinds[index % kinds.length]} ${String(index + 1).padStart(4, '0')}`,
    price: (25 + ((index * 7919) % 9975)) / 100,
    unit: units[index % units.length],
  }));
  const missing = products.filter(({ name }) => !existing.has(name));
  const create = (product: object) => request(`${url}/products`, { method: 'POST', body: JSON.stringify(product) });
  await pMap(missing, create, { concurrency: 16 });
  console.log(`products: ${missing.length || 'none'} added, ${products.length - missing.length} existed`);
}

async function existingNames(url: string): Promise<Set<string>> {
  const names = new Set<string>();
  for (let next: string | undefined = `/products?size=1000&q=${namePrefix}`; next; ) {
    const response: Response = await request(new URL(next, url));
    for (const { name } of (await response.json()) as { name: string }[]) names.add(name);
    next = response.headers.get('link')?.match(/<([^>]+)>;\s*rel="next"/)?.[1];
  }
  return names;
}

/** By the import command, which adds all records or none. */
async function seedStatusRecords(url: string, databasePort: number): Promise<void> {
  const response = await request(`${url}/api/v1/status/?limit=1`);
  if (((await response.json()) as unknown[]).length > 0) return console.log('status records: none added, some existed');
  const passwords = await openPasswords(join(cacheDir, 'data/postgres'));
  const login = `status:${passwords.known('status')}`;
  await execa(process.execPath, [join(root, 'services/status/dist/import.js'), '-'], {
    env: { DATABASE_URL: `postgresql://${login}@127.0.0.1:${databasePort}/status` },
    input: Readable.from(csv()),
    stdout: 'ignore',
    stderr: 'inherit',
  });
  console.log(
    `status records: ${(stationCount * instantCount).toLocaleString('en')} added, of ${stationCount} stations`,
  );
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
