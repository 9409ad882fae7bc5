import { z } from 'zod';

/** The address of a database. */
export const databaseUrl = z.url({
  protocol: /^postgres(ql)?$/,
  error: 'must be postgresql://role:password@host:port/database',
});

/** A {@link databaseUrl}, or `file:///path` of a file that holds it (currentUrl). */
const followedUrl = z.url({
  protocol: /^(postgres(ql)?|file)$/,
  error: 'must be postgresql://role:password@host:port/database, or file:///path of a file that holds it',
});

export const databaseConfig = {
  DATABASE_URL: followedUrl.describe(
    'postgresql://role:password@host:port/database, or file:///path of a file that holds it, read for each new ' +
      'connection; parameters behind the path are added. With ?at=host:port/database it holds role:password',
  ),
  DATABASE_POOLER_URL: followedUrl
    .optional()
    .describe(
      'The same database through a pooler, for requests and handlers; DATABASE_URL keeps what outlasts a transaction',
    ),
};

export const replicaConfig = {
  DATABASE_REPLICA_URL: followedUrl
    .optional()
    .describe('The same database on replicas, for lists that they have recent enough; others are read at DATABASE_URL'),
};

export type DatabaseConfig = z.output<z.ZodObject<typeof databaseConfig>> &
  Partial<z.output<z.ZodObject<typeof replicaConfig>>>;
