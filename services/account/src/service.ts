import { lookRecorder } from '@store/shared/database/audit';
import { createHttpApp } from '@store/shared/http/app';
import { accountEventsTopic } from '@store/shared/messaging/topics';
import { auditCleanUp, auditRoute } from '@store/shared/service/audit';
import type { Service, ServiceContext, ServiceDefinition } from '@store/shared/service/service';
import { loop } from '@store/shared/values/loop';
import { hourMs } from '@store/shared/values/time';
import { type AccountData, createAccountDataClient } from './account-data-client.ts';
import { createExport } from './account-export.ts';
import { createAccountExportRepository } from './account-export-repository.ts';
import { createAccountRepository } from './account-repository.ts';
import { createAccounts } from './accounts.ts';
import { type AuthClient, createAuthClient } from './auth-client.ts';
import { type AccountConfig, configSchema } from './config.ts';
import { PrismaClient } from './generated/client.ts';
import { createMailRequestRepository } from './mail-request-repository.ts';
import { announceDueResets, createMailRequests } from './mail-requests.ts';
import { createOwnAccount } from './own-account.ts';
import { passwordRules } from './password-rules.ts';
import { createPasswords, type PasswordLimits } from './passwords.ts';
import { accountRoutes } from './routes.ts';

export async function createAccountService(
  { config, log, database }: ServiceContext<AccountConfig, PrismaClient>,
  {
    auth = createAuthClient(config.AUTH_URL),
    sources = sourcesOf(config),
    ...limits
  }: PasswordLimits & { auth?: AuthClient; sources?: Record<string, AccountData> } = {},
): Promise<Service<PrismaClient>> {
  const requests = createMailRequestRepository(database);
  const repository = createAccountRepository(database);
  const parts = {
    transactionOf: database.transactionOf,
    repository,
    requests,
    passwords: await createPasswords(limits),
  };
  const accounts = createAccounts(parts);
  const own = createOwnAccount({ ...parts, auth });
  const exportAccount = createExport({ repository, exports: createAccountExportRepository(database), sources, log });
  const mails = createMailRequests(parts);
  const routes = [
    ...accountRoutes(
      { accounts, own, mails, exportAccount, recordLook: lookRecorder(database) },
      await passwordRules(config),
    ),
    auditRoute(database),
  ];
  return {
    app: createHttpApp({ title: 'Account API', routes, log, config }),
    publisher: { topic: accountEventsTopic, config, publishesAs: 'account' },
    jobs: [
      loop({ name: 'old requests for mails', everyMs: hourMs }, requests.deleteOld),
      auditCleanUp(database),
      loop({ name: 'due mails about forgotten passwords' }, () => announceDueResets(database, requests)),
    ],
  };
}

const sourcesOf = (config: AccountConfig) => ({
  access: createAccountDataClient('auth', config.AUTH_URL),
  orders: createAccountDataClient('order', config.ORDER_URL),
  payments: createAccountDataClient('payment', config.PAYMENT_URL),
  reservations: createAccountDataClient('inventory', config.INVENTORY_URL),
  invoices: createAccountDataClient('invoice', config.INVOICE_URL),
  messages: createAccountDataClient('notification', config.NOTIFICATION_URL),
});

export const accountService: ServiceDefinition<typeof configSchema, PrismaClient> = {
  name: 'account',
  configSchema,
  database: { PrismaClient, migrations: new URL('../prisma/migrations/', import.meta.url) },
  build: (context) => createAccountService(context),
};
