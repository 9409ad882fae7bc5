import { queryOnce } from '../../tests/kit/postgres/database.ts';
import type { Store } from '../local/store.ts';
import { cpuMs, familyCpuMs } from './process-usage.ts';

/** Returns what PostgreSQL has used so far, and holds. Connections that have ended count to `shared`. */
export async function postgresUsage(store: Store, databases: string[]) {
  const usages = await Promise.all(databases.map(async (name) => ({ name, ...(await databaseUsage(store, name)) })));
  const all = await familyCpuMs(store.component('postgres').pid());
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
  const tableBytes: Record<string, number> = {};
  for (const [name, bytes] of usages.flatMap((usage) => usage.tables))
    tableBytes[name] = (tableBytes[name] ?? 0) + bytes;
  const withOutbox = usages.filter(({ tables }) => tables.some(([name]) => name === 'outbox')).map(({ name }) => name);
  const countEvents = async (name: string) => {
    const [row] = await queryOnce<{ events: number }>(
      store.databaseUrl(name),
      'select count(*)::int as events from outbox',
    );
    return [name, row?.events ?? NaN] as const;
  };
  return {
    postgresCpuMs: {
      ...Object.fromEntries(usages.map(({ name, cpu }) => [name, cpu])),
      shared: all - sum(usages.map(({ cpu }) => cpu)),
    },
    tableBytes,
    walBytes: usages[0]?.wal ?? NaN,
    transactions: sum(usages.map(({ transactions }) => transactions)),
    events: Object.fromEntries(await Promise.all(withOutbox.map(countEvents))),
  };
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
  const times = await Promise.all(row.pids.map((pid) => cpuMs(pid).catch(() => 0)));
  return { ...row, cpu: times.reduce((sum, ms) => sum + ms, 0) };
}
