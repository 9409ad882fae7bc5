import { randomUUID } from 'node:crypto';
import { cp, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { freePort } from '../../tools/free-port.ts';
import { useFolder } from '../kit/folder.ts';
import { createSend, sendExpecting } from '../kit/http.ts';
import { queryOnce } from '../kit/postgres/database.ts';
import { startPostgres } from '../kit/postgres/server.ts';
import { useServices } from '../kit/service-process.ts';
import { until } from '../kit/until.ts';

// A streaming replica serves lists of products and station records while it is recent enough.

type Server = Awaited<ReturnType<typeof startPostgres>>;
const startService = useServices();
type Service = Awaited<ReturnType<typeof startService>>;
let primary: Server;
let replica: Server;
let product: Service;
let status: Service;

/** Stops the primary, copies its data, restarts it, and starts the copy as its replica. */
async function startReplica(dataDir: string): Promise<{ replica: Server; port: number }> {
  const copy = join(dir, 'replica');
  await primary.stop();
  await cp(dataDir, copy, { recursive: true });
  await cp(`${dataDir}-passwords.json`, `${copy}-passwords.json`);
  await primary.restart();
  await writeFile(join(copy, 'standby.signal'), '');
  const { uid, gid } = await stat(dataDir);
  if (process.getuid?.() === 0) await execa('chown', ['-R', `${uid}:${gid}`, copy]);
  const { hostname, port: behind, username, password } = new URL(primary.superuserUrl);
  const settings = { primary_conninfo: `host=${hostname} port=${behind} user=${username} password=${password}` };
  const port = await freePort();
  return { port, replica: await startPostgres({ dataDir: copy, port, log: () => undefined, settings }) };
}

beforeAll(async () => {
  const dataDir = join(dir, 'primary');
  primary = await startPostgres({ dataDir, port: await freePort(), log: () => undefined });
  for (const name of ['product', 'status']) await primary.createDatabase(name);
  const started = await startReplica(dataDir);
  replica = started.replica;
  const start = (name: string) => {
    const DATABASE_REPLICA_URL = primary.url(name, started.port);
    const env = { DATABASE_URL: primary.url(name), DATABASE_REPLICA_URL, CATALOGUE_CACHE_MIB: '0' };
    return startService(`services/${name}/src/main.ts`, env);
  };
  [product, status] = await Promise.all([start('product'), start('status')]);
  await Promise.all([product.ready(), status.ready()]);
}, 120_000);

afterAll(async () => {
  await replica?.stop();
  await primary?.stop();
}, 60_000);
const dir = useFolder();

const readsOf = async (service: Service, result: string) =>
  Number(new RegExp(`^replica_reads_total{result="${result}"} (\\d+)$`, 'm').exec(await service.metrics())?.[1] ?? 0);

/** Repeats a read until the replica answers it. */
async function untilCurrent(service: Service, read: () => Promise<unknown>) {
  const before = await readsOf(service, 'current');
  await until('the replica answers', async () => {
    await read();
    return (await readsOf(service, 'current')) > before;
  });
}

const onReplica = (sql: string) => queryOnce<Record<string, unknown>>(replica.superuserUrl, sql);
const as = { 'id-account': randomUUID() };
const names = async (): Promise<string[]> =>
  (await product.get('/products')).body.map(({ name }: { name: string }) => name);
const stations = async (): Promise<number[]> =>
  (await status.get('/api/v1/status/?limit=1000')).body.map(({ station_id }: { station_id: number }) => station_id);

async function addProduct(name: string) {
  const send = createSend(product.url);
  await sendExpecting(201, send, 'POST', '/products', { name, price: 1, unit: 'kg' }, as);
}
const addStation = (id: number) =>
  queryOnce(primary.url('status'), `insert into station_status (station_id, time) values (${id}, now())`);

it('products are read from the replica, but never in a state older than an acknowledged write', async () => {
  await addProduct('Tea');
  await untilCurrent(product, names);
  await onReplica('select pg_wal_replay_pause()');
  await addProduct('Coffee');
  const stale = await readsOf(product, 'stale');
  expect(await names()).toEqual(['Tea', 'Coffee']);
  expect(await readsOf(product, 'stale')).toBe(stale + 1);
  await onReplica('select pg_wal_replay_resume()');
  await untilCurrent(product, names);
  expect(await names()).toEqual(['Tea', 'Coffee']);
});

it('station records are read from the replica, and are at most ten seconds old', async () => {
  await addStation(1);
  await untilCurrent(status, stations);
  await onReplica('select pg_wal_replay_pause()');
  await addStation(2);
  const begun = Date.now();
  await until('the record is read', async () => (await stations()).includes(2), { timeoutMs: 20_000 });
  expect(Date.now() - begun).toBeLessThan(11_000);
  await onReplica('select pg_wal_replay_resume()');
});

it('everything is read from the primary while the replica is down, and from the replica soon after it is back', async () => {
  await replica.stop();
  const failed = await readsOf(product, 'failed');
  for (let reads = 0; reads < 20; reads += 1) expect(await names()).toEqual(['Tea', 'Coffee']);
  // A service does not use a failed replica for ten seconds.
  expect(await readsOf(product, 'failed')).toBe(failed + 1);
  await replica.restart();
  await untilCurrent(product, names);
});
