import pg from 'pg';
import type { Store } from '../../../local/store.ts';
import { cpuMs, familyCpuMs } from '../../process-usage.ts';

/** The resources that PostgreSQL has used so far, and holds. */
export interface PostgresUsage {
  /** CPU ms of the connections to each database, and of everything else. */
  cpuMs: Map<string, number>;
  /** Bytes of rows and indexes, by database and table. */
  tableBytes: Map<string, Map<string, number>>;
  walBytes: number;
  transactions: number;
  /** In the outbox of each database that has one. */
  events: Map<string, number>;
}

/** Connections that have ended since they were opened count to `shared`. */
export async function postgresUsage(store: Store, databases: string[]): Promise<PostgresUsage> {
  const perDatabase = await Promise.all(databases.map((name) => databaseUsage(store.databaseUrl(name))));
  const cpu = new Map(databases.map((name, index) => [name, perDatabase[index]?.cpuMs ?? NaN]));
  const all = await familyCpuMs(store.component('postgres').pid());
  return {
    cpuMs: cpu.set('shared', all - [...cpu.values()].reduce((sum, ms) => sum + ms, 0)),
    tableBytes: new Map(databases.map((name, index) => [name, perDatabase[index]?.tableBytes ?? new Map()])),
    walBytes: perDatabase[0]?.walBytes ?? NaN,
    transactions: perDatabase.reduce((sum, { transactions }) => sum + transactions, 0),
    events: new Map(
      databases.flatMap((name, index) => {
        const events = perDatabase[index]?.events;
        return events === undefined ? [] : [[name, events] as const];
      }),
    ),
  };
}

async function databaseUsage(connectionString: string) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    const { rows: connections } = await client.query<{ pid: number }>(
      'select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    const times = await Promise.all(connections.map(({ pid }) => cpuMs(pid).catch(() => 0)));
    const { rows: tables } = await client.query<{ name: string; bytes: number }>(
      `select relname as name, pg_total_relation_size(oid)::float8 as bytes
       from pg_class
       where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> '_prisma_migrations'`,
    );
    const { rows } = await client.query<{ wal: number; transactions: number }>(
      `select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as wal, xact_commit::float8 as transactions
       from pg_stat_database where datname = current_database()`,
    );
    const hasOutbox = tables.some(({ name }) => name === 'outbox');
    const outbox = hasOutbox
      ? await client.query<{ events: number }>('select count(*)::int as events from outbox')
      : undefined;
    return {
      events: outbox?.rows[0]?.events,
      cpuMs: times.reduce((sum, ms) => sum + ms, 0),
      tableBytes: new Map(tables.map(({ name, bytes }) => [name, bytes])),
      walBytes: rows[0]?.wal ?? NaN,
      transactions: rows[0]?.transactions ?? NaN,
    };
  } finally {
    await client.end();
  }
}
