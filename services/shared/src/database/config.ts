import { z } from 'zod';

/** One that says where a database is. */
export const databaseUrl = z.url({
  protocol: /^postgres(ql)?$/,
  error: 'must be postgresql://role:password@host:port/database',
});

/** A {@link databaseUrl}, or `file:///path` of a file that holds one (currentUrl). */
export const databaseConfig = {
  DATABASE_URL: z.url({
    protocol: /^(postgres(ql)?|file)$/,
    error: 'must be postgresql://role:password@host:port/database, or file:///path of a file that holds it',
  }),
};
