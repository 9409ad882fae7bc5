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
import { currentCommit, describeMachine } from '../machine.ts';
import { type Measurement, say } from '../measurement.ts';
import { connections, prepareOrderLoad } from '../order-load.ts';
import { cpuMs, familyCpuMs, ofComponents, residentMib } from '../process-usage.ts';
import { backlog } from './backlog.ts';
import { orderLife } from './order-life.ts';

const seconds = 20;

/** Measures everything that an order takes, for the model of tools/capacity and docs/scaling.md. */
export const costs: Measurement = {
  name: 'costs',
  components: orderLife.components,
  env: { SHIP_AFTER_SECONDS: '1' },
  gateway: orderLife.gateway,
  takes: 'five minutes and writes tools/capacity/costs.json and docs/scaling.md',
  async run(store) {
    const [measuredAt, commit, machine] = [new Date().toISOString(), await currentCommit(), await describeMachine()];
    // First, while its events are the only ones; what they leave in the tables is counted out below.
    const full = await backlog.run(store);
    const mostOf = (row: string) => Math.round(full.find(({ name }) => name === row)?.result ?? NaN);

    const load = await prepareOrderLoad(store, { isShipped: true });
    say(`warming up, then placing orders on ${connections} connections for ${seconds} s`);
    await load.closedLoop(seconds);
    const before = await usage(store);
    const run = await load.closedLoop(seconds);
    const after = await usage(store);
    const perOrder = (value: number, earlier = 0) => rounded((value - earlier) / run.count);
    const grown = (name: 'postgresCpuMs' | 'tableBytes' | 'events') =>
      mapped(after[name], (value, key) => perOrder(value, before[name][key]));
    const { postgres: _, ...components } = Object.fromEntries(run.costs);
    const { postgres: __, kafka: ___, ...memory } = Object.fromEntries(await ofComponents(store, residentMib));
    const result: Costs = {
      measuredAt,
      commit,
      machine,
      cpuMs: mapped(components, rounded),
      postgresCpuMs: grown('postgresCpuMs'),
      tableBytes: grown('tableBytes'),
      walBytes: perOrder(after.walBytes, before.walBytes),
      transactions: perOrder(after.transactions, before.transactions),
      kafkaBytes: perOrder(after.kafkaBytes, before.kafkaBytes),
      residentMib: mapped(memory, ({ now }) => Math.round(now)),
      events: grown('events'),
      mostPerSecond: {
        relay: mostOf('Relay from a full outbox'),
        analytics: mostOf('Group analytics from a full topic'),
        invoice: mostOf('Group invoice from a full topic'),
      },
    };
    const file = 'tools/capacity/costs.json';
    await writeChanged({ [file]: `${JSON.stringify(result, undefined, 2)}\n`, ...scalingText(result) });
    return [figure('shipped', run.cost, `${run.count} orders, ${run.perSecond.toFixed()} per s; written to ${file}`)];
  },
};

/** Rounds to a thousandth: more would only make the file differ from run to run. */
const rounded = (value: number) => Math.max(Math.round(value * 1000) / 1000, 0);

const mapped = <T>(values: Record<string, T>, change: (value: T, name: string) => number): Record<string, number> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value, name)]));

type Usage = Pick<Costs, 'postgresCpuMs' | 'tableBytes' | 'walBytes' | 'transactions' | 'events' | 'kafkaBytes'>;

/** Returns what PostgreSQL and Kafka have used so far, and hold. Connections that have ended count to `shared`. */
async function usage(store: Store): Promise<Usage> {
  const databases = await Promise.all(topology.databases.map((name) => databaseUsage(store, name)));
  const postgresCpuMs = Object.fromEntries(databases.map(({ name, cpu }) => [name, cpu]));
  const all = await familyCpuMs(store.component('postgres').pid());
  const tableBytes: Record<string, number> = {};
  for (const [name, bytes] of databases.flatMap(({ tables }) => tables))
    tableBytes[name] = (tableBytes[name] ?? 0) + bytes;
  return {
    postgresCpuMs: { ...postgresCpuMs, shared: all - sum(postgresCpuMs) },
    tableBytes,
    walBytes: databases[0]?.wal ?? NaN,
    transactions: sum(databases.map(({ transactions }) => transactions)),
    events: Object.fromEntries(databases.flatMap(({ name, events }) => (events === undefined ? [] : [[name, events]]))),
    kafkaBytes: await kafkaBytes(join(store.dir, 'data/kafka')),
  };
}

async function databaseUsage(store: Store, name: string) {
  const query = <Row extends object>(sql: string) => queryOnce<Row>(store.databaseUrl(name), sql);
  const [row] = await query<{ wal: number; transactions: number; pids: number[]; tables: [string, number][] }>(
    `select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as wal, xact_commit::float8 as transactions,
       (select coalesce(json_agg(pid), '[]') from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()) as pids,
       (select coalesce(json_agg(json_build_array(relname, pg_total_relation_size(oid))), '[]') from pg_class
        where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> '_prisma_migrations') as tables
     from pg_stat_database where datname = current_database()`,
  );
  if (row === undefined) throw new Error(`There is no database ${name}.`);
  const cpu = sum(await Promise.all(row.pids.map((pid) => cpuMs(pid).catch(() => 0))));
  const publishes = row.tables.some(([table]) => table === 'outbox');
  const [outbox] = publishes ? await query<{ events: number }>('select count(*)::int as events from outbox') : [];
  return { ...row, name, cpu, events: outbox?.events };
}

/** Counts the bytes of all messages that are stored. */
async function kafkaBytes(dataDir: string): Promise<number> {
  const files = await readdir(dataDir, { recursive: true });
  const segments = files.filter((file) => /^order-events.*\/\d+\.log$/.test(file));
  return sum(await Promise.all(segments.map(async (file) => (await stat(join(dataDir, file))).size)));
}
