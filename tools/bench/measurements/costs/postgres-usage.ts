import type pg from 'pg';
import type { Store } from '../../../local/store.ts';
import { withDatabase } from '../../database.ts';
import { cpuMs, familyCpuMs } from '../../process-usage.ts';

/** Returns what PostgreSQL has used so far, and holds. Connections that have ended count to `shared`. */
export async function postgresUsage(store: Store, databases: string[]) {
  const usages = await Promise.all(
    databases.map(async (name) => [name, await withDatabase(store.databaseUrl(name), databaseUsage)] as const),
  );
  const byDatabase = <T>(of: (usage: DatabaseUsage) => T): Record<string, T> =>
    Object.fromEntries(usages.map(([name, usage]) => [name, of(usage)]));
  const sum = (of: (usage: DatabaseUsage) => number) => usages.reduce((total, [, usage]) => total + of(usage), 0);
  const all = await familyCpuMs(store.component('postgres').pid());
  return {
    postgresCpuMs: { ...byDatabase(({ cpuMs }) => cpuMs), shared: all - sum(({ cpuMs }) => cpuMs) },
    tableBytes: byDatabase(({ tableBytes }) => tableBytes),
    walBytes: usages[0]?.[1].walBytes ?? NaN,
    transactions: sum(({ transactions }) => transactions),
    events: Object.fromEntries(usages.flatMap(([name, { events }]) => (events === undefined ? [] : [[name, events]]))),
  };
}

type DatabaseUsage = Awaited<ReturnType<typeof databaseUsage>>;

async function databaseUsage(client: pg.Client) {
  const { rows: connections } = await client.query<{ pid: number }>(
    'select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
  const times = await Promise.all(connections.map(({ pid }) => cpuMs(pid).catch(() => 0)));
  const { rows: tables } = await client.query<{ name: string; bytes: number }>(
    `select relname as name, pg_total_relation_size(oid)::float8 as bytes
     from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`,
  );
  const { rows: server } = await client.query<{ wal: number; transactions: number }>(
    `select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as wal, xact_commit::float8 as transactions
     from pg_stat_database where datname = current_database()`,
  );
  const outbox = tables.some(({ name }) => name === 'outbox')
    ? await client.query<{ events: number }>('select count(*)::int as events from outbox')
    : undefined;
  return {
    cpuMs: times.reduce((sum, ms) => sum + ms, 0),
    tableBytes: Object.fromEntries(tables.map(({ name, bytes }) => [name, bytes])),
    walBytes: server[0]?.wal ?? NaN,
    transactions: server[0]?.transactions ?? NaN,
    events: outbox?.rows[0]?.events,
  };
}
