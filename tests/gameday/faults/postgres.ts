import pg from 'pg';
import { queryOnce } from '../../kit/postgres/database.ts';
import { type Fault, stopping } from './processes.ts';

/** More than half as many again as autovacuum_freeze_max_age, which the stage has set to 100,000. */
const transactions = 170_000;

/** Faults of PostgreSQL. */
export const postgresFaults: Fault[] = [
  {
    name: 'auth loses its database, and goes on accepting tokens',
    alerts: ['StoreSessionsStale'],
    async inject({ superuserUrl }) {
      const query = (sql: string) => queryOnce(superuserUrl('postgres'), sql);
      await query('alter database auth allow_connections false');
      await query(`select pg_terminate_backend(pid) from pg_stat_activity where datname = 'auth'`);
      return () => query('alter database auth allow_connections true');
    },
  },
  {
    name: 'sessions take nearly all connections',
    alerts: ['StorePostgresConnections'],
    needsExporter: true,
    async inject({ superuserUrl }) {
      const [{ free } = { free: 0 }] = await queryOnce<{ free: number }>(
        superuserUrl('postgres'),
        `select (0.85 * current_setting('max_connections')::int)::int - count(*)::int as free from pg_stat_activity
         where backend_type = 'client backend'`,
      );
      const connectionString = superuserUrl('status');
      const sessions = Array.from({ length: free }, () => new pg.Client({ connectionString }));
      for (const session of sessions) await session.connect();
      return () => Promise.all(sessions.map((session) => session.end()));
    },
  },
  {
    name: 'an open transaction keeps vacuum from freezing while many others commit',
    alerts: ['StorePostgresWraparound'],
    needsExporter: true,
    async inject({ superuserUrl }) {
      const open = new pg.Client({ connectionString: superuserUrl('status') });
      await open.connect();
      await open.query('begin; select pg_current_xact_id()');
      await queryOnce(
        superuserUrl('status'),
        `do $$ begin
           set session synchronous_commit = off;
           for i in 1..${transactions} loop perform pg_current_xact_id(); commit; end loop;
         end $$`,
      );
      return async () => {
        await open.end();
        const databases = 'select datname from pg_database where datallowconn';
        const all = await queryOnce<{ datname: string }>(superuserUrl('postgres'), databases);
        for (const { datname } of all) await queryOnce(superuserUrl(datname), 'vacuum (freeze)');
      };
    },
  },
  {
    name: 'PostgreSQL stops',
    alerts: ['StorePostgresUnavailable'],
    needsExporter: true,
    inject: stopping('postgres'),
  },
];
