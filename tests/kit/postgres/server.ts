/** A PostgreSQL server for one test, which may do to it what it must not do to the shared one. */
export { type Postgres, startPostgres } from '../../../tools/local/components/postgres.ts';
