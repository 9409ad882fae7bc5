import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { execa } from 'execa';
import { cacheDir, root } from '../../paths.ts';
import { openPasswords } from '../components/postgres.ts';
import { localUrl } from '../components/services.ts';
import { fixedPorts } from '../ports.ts';

const PRODUCTS = 1000;
const STATIONS = 100;
const INSTANTS = 2000;
const AT_ONCE = 16;
const MARK = 'Sample';

const ports = fixedPorts();
const kinds = ['tea', 'coffee', 'biscuits', 'honey', 'rice', 'lentils', 'olive oil', 'soap', 'candles', 'paper'];
const units = ['box', 'kg', 'packet', 'litre', 'piece'];
const areas = ['centre', 'harbour', 'campus', 'hills'];

/** By the product service itself, for it knows what a product must be; only those that are not there yet. */
async function seedProducts(): Promise<void> {
  const products = localUrl(ports.of('product'));
  const names = await namesThere(products);
  const missing = Array.from({ length: PRODUCTS }, (_, index) => ({
    name: `${MARK} ${kinds[index % kinds.length]} ${String(index + 1).padStart(4, '0')}`,
    price: (25 + ((index * 7919) % 9975)) / 100,
    unit: units[index % units.length],
  })).filter(({ name }) => !names.has(name));
  if (!missing.length) return console.log(`products: the ${PRODUCTS} are there already`);

  const headers = { 'content-type': 'application/json', 'id-account': randomUUID() };
  const waiting = missing[Symbol.iterator]();
  const post = async () => {
    for (const product of waiting) {
      const answer = await fetch(`${products}/products`, { method: 'POST', headers, body: JSON.stringify(product) });
      if (answer.status !== 201) throw new Error(`A product is answered with ${answer.status}: ${await answer.text()}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, post));
  console.log(`products: ${missing.length} added`);
}

async function namesThere(products: string): Promise<Set<string>> {
  const names = new Set<string>();
  let next: string | undefined = `/products?size=1000&q=${MARK}`;
  while (next) {
    const answer: Response = await fetch(new URL(next, products), { headers: { 'id-account': randomUUID() } });
    if (!answer.ok) throw new Error(`The product service answers ${answer.status}: ${await answer.text()}`);
    for (const { name } of (await answer.json()) as { name: string }[]) names.add(name);
    next = answer.headers.get('link')?.match(/<([^>]+)>;\s*rel="next"/)?.[1];
  }
  return names;
}

/** By the import command, which brings in all records or none: so one record there means that all are. */
async function seedStatuses(): Promise<void> {
  const headers = { 'id-account': randomUUID() };
  const answer = await fetch(`${localUrl(ports.of('status'))}/api/v1/status/?limit=1`, { headers });
  if (!answer.ok) throw new Error(`The status service answers ${answer.status}: ${await answer.text()}`);
  if (((await answer.json()) as unknown[]).length) return console.log('status records: there are some already');

  const passwords = await openPasswords(join(cacheDir, 'data/postgres'));
  const login = `status:${passwords.known('status')}`;
  await execa(process.execPath, [join(root, 'services/status/dist/import.js'), '-'], {
    env: { DATABASE_URL: `postgresql://${login}@127.0.0.1:${ports.postgres}/status` },
    input: Readable.from(csv()),
    stdout: 'ignore',
    stderr: 'inherit',
  });
  console.log(`status records: ${(STATIONS * INSTANTS).toLocaleString('en')} added, of ${STATIONS} stations`);
}

/** Every ten minutes all stations report at the same instant, as they do in life. */
function* csv() {
  yield 'station_id,bikes_available,docks_available,time,category1,category2\n';
  for (let instant = 0; instant < INSTANTS; instant++) {
    const time = new Date(Date.UTC(2026, 0, 1) + instant * 600_000).toISOString();
    let lines = '';
    for (let station = 1; station <= STATIONS; station++) {
      const bikes = (station * 31 + instant * 17 + ((station * instant) % 7)) % 25;
      const area = areas[station % areas.length];
      lines += `${station},${bikes},${24 - bikes},${time},${area},${bikes === 0 ? 'empty' : ''}\n`;
    }
    yield lines;
  }
}

try {
  const ready = await fetch(`${localUrl(ports.of('product'))}/health/ready`).catch(() => undefined);
  if (!ready?.ok) throw new Error('The store is not running: start it with make run.');
  await seedProducts();
  await seedStatuses();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
