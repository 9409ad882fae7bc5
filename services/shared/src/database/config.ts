import { z } from 'zod';

/** One that says where a database is. */
export const databaseUrl = z.url({
  protocol: /^postgres(ql)?$/,
  error: 'must be postgresql://role:password@host:port/database',
});

/** A {@link databaseUrl}, or `file:///path` of a file that holds one (currentUrl). */
const followedUrl = z.url({
  protocol: /^(postgres(ql)?|file)$/,
  error: 'must be postgresql://role:password@host:port/database, or file:///path of a file that holds it',
});

export const databaseConfig = {
  /** For what lasts longer than a transaction: LISTEN, and the locks of relays and migrations. */
  DATABASE_URL: followedUrl,
  /** The same database by a pooler, for all other connections. */
  DATABASE_POOLER_URL: followedUrl.optional(),
};

export type DatabaseConfig = z.output<z.ZodObject<typeof databaseConfig>>;
