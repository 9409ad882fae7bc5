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
      'connection; parameters after the path are added. With ?at=host:port/database it holds role:password',
  ),
  DATABASE_POOLER_URL: followedUrl
    .optional()
    .describe(
      'The same database through a pooler, for requests and handlers; longer work than a transaction uses DATABASE_URL',
    ),
};

export const replicaConfig = {
  DATABASE_REPLICA_URL: followedUrl
    .optional()
    .describe(
      'Replicas of the database, for lists if they are recent enough; otherwise lists are read at DATABASE_URL',
    ),
};

export type DatabaseConfig = z.output<z.ZodObject<typeof databaseConfig>> &
  Partial<z.output<z.ZodObject<typeof replicaConfig>>>;
