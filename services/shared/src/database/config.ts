import { z } from 'zod';

export const databaseUrl = z.url({
  protocol: /^postgres(ql)?$/,
  error: 'must be postgresql://role:password@host:port/database',
});

export const databaseConfig = { DATABASE_URL: databaseUrl };
