import { randomUUID } from 'node:crypto';
import { createHttpApp, type HttpAppOptions } from '@store/shared/http/app';
import type { AccountStore } from './account-repository.ts';
import { createAccounts } from './accounts.ts';
import type { Passwords } from './passwords.ts';
import { accountRoutes } from './routes.ts';

export interface AppOptions extends Pick<HttpAppOptions, 'log' | 'production' | 'bearer'> {
  store: AccountStore;
  passwords: Passwords;
  newId?: () => string;
}

export function createApp({ store, passwords, newId = randomUUID, ...options }: AppOptions) {
  const accounts = createAccounts({ store, passwords, newId });
  return createHttpApp({ ...options, title: 'Account API', routes: accountRoutes(accounts) });
}
