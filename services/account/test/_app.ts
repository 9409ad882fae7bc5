import { openDatabase } from '@store/shared/database/database';
import { createLog } from '@store/shared/observability/log';
import { printUnexpected } from '../../../tests/kit/observability/log.ts';
import { configSchema } from '../src/config.ts';
import { PrismaClient } from '../src/generated/client.ts';
import type { DB } from '../src/generated/tables.ts';
import type { PasswordLimits } from '../src/passwords.ts';
import { createAccountService } from '../src/service.ts';

export const ada = { name: 'Ada Lovelace', email: 'Ada.Lovelace@Example.com', password: ' correct horse ' };

/** The real service over a database of the test's own. `logged` grows with its log lines. */
export async function testApp(databaseUrl: string, limits: PasswordLimits = {}, env = {}) {
  const database = openDatabase<DB>(databaseUrl);
  const logged: string[] = [];
  const write = (line: string) => {
    logged.push(line);
    printUnexpected(line);
  };
  const log = createLog('account', 'trace', { write });
  const config = configSchema.parse({ DATABASE_URL: databaseUrl, ...env });
  const { app } = await createAccountService({ config, log, database }, limits);
  const prisma = new PrismaClient({ adapter: database.adapter });
  return { app, prisma, logged, close: database.close };
}
