/** A PostgreSQL of a test's own, for what cannot be done to the one that all tests share. */
export { type Postgres, startPostgres } from '../../../tools/local/components/postgres.ts';
