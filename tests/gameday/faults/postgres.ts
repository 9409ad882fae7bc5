import pg from 'pg';
import type { Stage } from '../stage.ts';
import type { Fault } from './fault.ts';

/** More than half as many again as autovacuum_freeze_max_age, which the stage has set to 100,000. */
const transactions = 170_000;

/** Faults of PostgreSQL. */
export const postgresFaults: Fault[] = [
  {
    name: 'auth loses its database, and goes on accepting tokens',
    alerts: ['StoreSessionsStale'],
    async inject(stage) {
      await query(stage, 'postgres', 'alter database auth allow_connections false');
      await query(stage, 'postgres', `select pg_terminate_backend(pid) from pg_stat_activity where datname = 'auth'`);
      return () => query(stage, 'postgres', 'alter database auth allow_connections true');
    },
  },
  {
    name: 'sessions take nearly all connections',
    alerts: ['StorePostgresConnections'],
    needsExporter: true,
    async inject(stage) {
      const [{ free } = { free: 0 }] = await query<{ free: number }>(
        stage,
        'postgres',
        `select (0.85 * current_setting('max_connections')::int)::int - count(*)::int as free from pg_stat_activity
         where backend_type = 'client backend'`,
      );
      const sessions = Array.from(
        { length: free },
        () => new pg.Client({ connectionString: stage.superuserUrl('status') }),
      );
      for (const session of sessions) await session.connect();
      return () => Promise.all(sessions.map((session) => session.end()));
    },
  },
  {
    name: 'an open transaction keeps vacuum from freezing while many others commit',
    alerts: ['StorePostgresWraparound'],
    needsExporter: true,
    async inject(stage) {
      const open = new pg.Client({ connectionString: stage.superuserUrl('status') });
      await open.connect();
      await open.query('begin; select pg_current_xact_id()');
      await query(
        stage,
        'status',
        `do $$ begin
           set session synchronous_commit = off;
           for i in 1..${transactions} loop perform pg_current_xact_id(); commit; end loop;
         end $$`,
      );
      return async () => {
        await open.end();
        const all = await query<{ datname: string }>(
          stage,
          'postgres',
          'select datname from pg_database where datallowconn',
        );
        for (const { datname } of all) await query(stage, datname, 'vacuum (freeze)');
      };
    },
  },
  {
    name: 'PostgreSQL stops',
    alerts: ['StorePostgresUnavailable'],
    needsExporter: true,
    async inject({ store }) {
      await store.component('postgres').stop();
      return () => store.component('postgres').restart();
    },
  },
];

async function query<Row extends pg.QueryResultRow>(stage: Stage, database: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: stage.superuserUrl(database) });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}
