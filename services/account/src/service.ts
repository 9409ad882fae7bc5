import { randomUUID } from 'node:crypto';
import { bearerFrom } from '@store/shared/auth/bearer';
import { callersWith } from '@store/shared/auth/internal-credentials';
import { createHttpApp } from '@store/shared/http/app';
import type { Service, ServiceContext, ServiceDefinition } from '@store/shared/service/service';
import { createAccountRepository } from './account-repository.ts';
import { createAccounts } from './accounts.ts';
import { type AccountConfig, configSchema } from './config.ts';
import { PrismaClient } from './generated/client.ts';
import type { DB } from './generated/tables.ts';
import { passwordRules } from './password-rules.ts';
import { createPasswords, type PasswordLimits } from './passwords.ts';
import { accountRoutes } from './routes.ts';

export async function createAccountService(
  { config, log, database }: ServiceContext<AccountConfig, DB>,
  limits: PasswordLimits = {},
): Promise<Service<DB>> {
  const repository = createAccountRepository(new PrismaClient({ adapter: database.adapter }), database);
  const accounts = createAccounts({ repository, passwords: await createPasswords(limits), newId: randomUUID });
  const { APP_PROFILE: profile } = config;
  const routes = accountRoutes(accounts, await passwordRules(config));
  const bearer = await bearerFrom(config);
  const callers = callersWith(config.INTERNAL_CREDENTIALS);
  const operators = callersWith(config.OPERATOR_CREDENTIALS);
  return { app: createHttpApp({ title: 'Account API', routes, log, profile, bearer, callers, operators }) };
}

export const accountService: ServiceDefinition<typeof configSchema, DB> = {
  name: 'account',
  configSchema,
  migrations: new URL('../prisma/migrations/', import.meta.url),
  build: (context) => createAccountService(context),
};
