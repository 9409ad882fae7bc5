import { openDatabase } from '@store/shared/database/database';
import { createLog } from '@store/shared/observability/log';
import { createAccountRepository } from '../src/account-repository.ts';
import { createApp } from '../src/app.ts';
import { PrismaClient } from '../src/generated/client.ts';
import { createPasswords, type PasswordLimits } from '../src/passwords.ts';

export const ada = { name: 'Ada Lovelace', email: 'Ada.Lovelace@Example.com', password: ' correct horse ' };

/** The real application over a database of the test's own. `logged` grows with what it logs. */
export async function testApp(databaseUrl: string, limits: PasswordLimits = {}) {
  const { adapter, close } = openDatabase(databaseUrl);
  const prisma = new PrismaClient({ adapter });
  const logged: string[] = [];
  const app = createApp({
    repository: createAccountRepository(prisma),
    passwords: await createPasswords(limits),
    log: createLog('account', 'trace', { write: (line) => logged.push(line) }),
    production: false,
  });
  return { app, prisma, logged, close };
}
