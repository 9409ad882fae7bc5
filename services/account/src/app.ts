import { randomUUID } from 'node:crypto';
import { createHttpApp, type HttpAppOptions } from '@store/shared/http/app';
import type { AccountRepository } from './account-repository.ts';
import { createAccounts } from './accounts.ts';
import type { Passwords } from './passwords.ts';
import { accountRoutes } from './routes.ts';

export interface AppOptions extends Pick<HttpAppOptions, 'log' | 'production' | 'bearer'> {
  repository: AccountRepository;
  passwords: Passwords;
  newId?: () => string;
}

export function createApp({ repository, passwords, newId = randomUUID, ...options }: AppOptions) {
  const accounts = createAccounts({ repository, passwords, newId });
  return createHttpApp({ ...options, title: 'Account API', routes: accountRoutes(accounts) });
}
