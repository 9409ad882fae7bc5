import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { queryOnce } from '../../../tests/kit/postgres/database.ts';
import type { Costs } from '../../capacity/costs.ts';
import { sum } from '../../capacity/model.ts';
import { scalingText } from '../../capacity/tables.ts';
import type { Store } from '../../local/store.ts';
import { topology } from '../../topology/topology.ts';
import { writeChanged } from '../../write-changed.ts';
import { figure } from '../figures.ts';
import { conditions, type Measurement, say } from '../measurement.ts';
import { connections, prepareOrderLoad } from '../order-load.ts';
import { cpuMs, familyCpuMs, ofComponents, residentMib } from '../process-usage.ts';
import { ratesOf } from './backlog.ts';
import { orderLife } from './order-life.ts';

const seconds = 20;

/** Measures everything that an order takes, for the model of tools/capacity and docs/scaling.md. */
export const costs: Measurement = {
  ...orderLife,
  name: 'costs',
  env: { SHIP_AFTER_SECONDS: '1' },
  takes: 'five minutes and writes tools/capacity/costs.json and docs/scaling.md',
  async run(store) {
    const measured = `${new Date().toISOString().slice(0, 10)}, ${await conditions()}`;
    // First, while its events are the only ones; what they leave in the tables is counted out below.
    const { relay, analytics, invoice } = await ratesOf(store);

    const load = await prepareOrderLoad(store, { isShipped: true });
    say(`warming up, then placing orders on ${connections} connections for ${seconds} s`);
    await load.closedLoop(seconds);
    const before = await usage(store);
    const run = await load.closedLoop(seconds);
    const after = await usage(store);
    const perOrder = (kind: keyof typeof before) =>
      mapped(after[kind], (value, name) => (value - (before[kind][name] ?? 0)) / run.count);
    const { postgres: _, ...components } = Object.fromEntries(run.costs);
    const { postgres: __, kafka: ___, ...memory } = Object.fromEntries(await ofComponents(store, residentMib));
    const result: Costs = {
      measured,
      cpuMs: components,
      postgresCpuMs: perOrder('postgresCpuMs'),
      tableBytes: perOrder('tableBytes'),
      ...(perOrder('others') as Pick<Costs, 'walBytes' | 'transactions' | 'kafkaBytes'>),
      residentMib: mapped(memory, ({ now }) => now),
      mostPerSecond: { relay, analytics, invoice },
    };
    const file = 'tools/capacity/costs.json';
    const text = JSON.stringify(result, rounded, 2);
    await writeChanged({ [file]: `${text}\n`, ...scalingText(JSON.parse(text)) });
    return [figure('shipped', run.cost, `${run.count} orders, ${run.perSecond.toFixed()} per s; written to ${file}`)];
  },
};

/** More than a thousandth would only make the file differ from run to run. */
const rounded = (_: string, value: unknown) =>
  typeof value === 'number' ? Math.max(Number(value.toFixed(3)), 0) : value;

const mapped = <T>(values: Record<string, T>, change: (value: T, name: string) => number): Record<string, number> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value, name)]));

/** Returns what PostgreSQL and Kafka have used so far, and hold. Connections that have ended count to `shared`. */
async function usage(store: Store): Promise<Record<'postgresCpuMs' | 'tableBytes' | 'others', Record<string, number>>> {
  const databases = await Promise.all(topology.databases.map((name) => databaseUsage(store, name)));
  const postgresCpuMs = Object.fromEntries(databases.map(({ name, cpu }) => [name, cpu]));
  const all = await familyCpuMs(store.component('postgres').pid());
  const tableBytes: Record<string, number> = {};
  for (const [name, bytes] of databases.flatMap(({ tables }) => tables))
    tableBytes[name] = (tableBytes[name] ?? 0) + bytes;
  const others = {
    walBytes: databases[0]?.wal ?? NaN,
    transactions: sum(databases.map(({ transactions }) => transactions)),
    kafkaBytes: await kafkaBytes(join(store.dir, 'data/kafka')),
  };
  return { postgresCpuMs: { ...postgresCpuMs, shared: all - sum(postgresCpuMs) }, tableBytes, others };
}

async function databaseUsage(store: Store, name: string) {
  const [row] = await queryOnce<{ wal: number; transactions: number; pids: number[]; tables: [string, number][] }>(
    store.databaseUrl(name),
    `select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as wal, xact_commit::float8 as transactions,
       (select coalesce(json_agg(pid), '[]') from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()) as pids,
       (select coalesce(json_agg(json_build_array(relname, pg_total_relation_size(oid))), '[]') from pg_class
        where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> '_prisma_migrations') as tables
     from pg_stat_database where datname = current_database()`,
  );
  if (row === undefined) throw new Error(`There is no database ${name}.`);
  return { ...row, name, cpu: sum(await Promise.all(row.pids.map((pid) => cpuMs(pid).catch(() => 0)))) };
}

/** Counts the bytes of all messages that are stored. */
async function kafkaBytes(dataDir: string): Promise<number> {
  const files = await readdir(dataDir, { recursive: true });
  const segments = files.filter((file) => /^order-events.*\/\d+\.log$/.test(file));
  return sum(await Promise.all(segments.map(async (file) => (await stat(join(dataDir, file))).size)));
}
