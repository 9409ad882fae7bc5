import { randomBytes } from 'node:crypto';
import { importTokenKey } from '@store/shared/auth/token-keys';
import type { AccountOut } from '@store/shared/contracts/account';
import { openDatabase } from '@store/shared/database/database';
import { createLog } from '@store/shared/observability/log';
import { DomainError } from '@store/shared/values/errors';
import { queryOnce, unreachableDatabaseUrl, useDatabase } from '../../../tests/kit/postgres/database.ts';
import { until } from '../../../tests/kit/until.ts';
import type { AccountClient } from '../src/account-client.ts';
import { configSchema } from '../src/config.ts';
import { PrismaClient } from '../src/generated/client.ts';
import { authService, createAuthService } from '../src/service.ts';
import { tokenKeysFrom } from '../src/tokens/token-keys.ts';
import { createTokens } from '../src/tokens/tokens.ts';

export const ada = { name: 'Ada Lovelace', email: 'ada@example.com', password: ' correct horse ' };

export const newSecret = () => randomBytes(32).toString('base64');
export const newKey = () => importTokenKey(newSecret());

/** A fake of the account service. */
export function fakeAccounts(): AccountClient & { calls: unknown[] } {
  const known = new Map<string, { account: AccountOut; password: string }>();
  const calls: unknown[] = [];
  const used = new Set<string>();
  return {
    calls,
    async find(accountId) {
      return [...known.values()].find(({ account }) => account.id === accountId)?.account;
    },
    async setPassword(accountId, password) {
      if (password.length < 8) throw new DomainError('invalid', 'Too short.', { code: 'validation' });
      for (const one of known.values()) if (one.account.id === accountId) one.password = password;
    },
    async register({ name, email, password }, clientAddress) {
      calls.push({ register: { name, email, password }, clientAddress });
      if (known.has(email)) throw new DomainError('conflict', 'Taken.', { code: 'email-taken' });
      const account = { id: crypto.randomUUID(), name, email, locale: 'en', createdAt: new Date().toISOString() };
      known.set(email, { account, password });
      return account;
    },
    async checkPassword({ email, password }, clientAddress) {
      calls.push({ checkPassword: { email, password }, clientAddress });
      const found = known.get(email);
      return found?.password === password ? found.account : undefined;
    },
    async requestReset(email) {
      if (email.startsWith('often')) throw new DomainError('rateLimited', 'Often.', { retryAfterSeconds: 600 });
    },
    /** The token is the e-mail address. */
    async resetPassword(token, password) {
      const found = known.get(token);
      if (found === undefined) throw new DomainError('forbidden', 'Not valid.', { code: 'invalid-token' });
      const isUsed = used.has(token);
      used.add(token);
      if (!isUsed) found.password = password;
      return { ...found.account, isUsed };
    },
    async announceKey(accountId, keyId) {
      calls.push({ announceKey: keyId, accountId });
    },
    async endMailRequests(accountId) {
      calls.push({ endMailRequests: accountId });
    },
    async confirmEmail(token) {
      if (token === 'taken') throw new DomainError('conflict', 'Taken.', { code: 'email-taken' });
      if (!known.has(token)) throw new DomainError('forbidden', 'Not valid.', { code: 'invalid-token' });
    },
    isConfirmed: async () => true,
  };
}

interface Options {
  databaseUrl: string;
  accounts?: AccountClient;
  env?: Record<string, string>;
  /** Whether to wait until the service is ready; default: unless its database is unreachable. */
  waits?: boolean;
}

/** Provides a database for all tests of a file. Replicas share it, the secret and the accounts. */
export function useAuth<Env extends Record<string, string>>(env = {} as Env) {
  const database = useDatabase('auth');
  const shared = { accounts: fakeAccounts(), env: { JWT_SECRET_KEY: newSecret(), ...env } };
  const start = (more: Partial<Options> = {}) =>
    testApp({ databaseUrl: database.url, ...shared, ...more, env: { ...shared.env, ...more.env } });
  return {
    ...shared,
    database,
    query: <Row extends object>(sql: string) => queryOnce<Row>(database.url, sql),
    /** Starts a replica; the test must close it. */
    start,
    /** Starts a replica for all tests. */
    open: (env: Record<string, string> = {}) => database.open(() => start({ env })),
  };
}

export type TestApp = Awaited<ReturnType<typeof testApp>>;

/** Starts the real service with its own key. It accepts tokens from `issue`. `logged` collects its log lines. */
export async function testApp({
  databaseUrl,
  accounts = fakeAccounts(),
  env,
  waits = databaseUrl !== unreachableDatabaseUrl,
}: Options) {
  const config = configSchema.parse({
    DATABASE_URL: databaseUrl,
    JWT_SECRET_KEY: newSecret(),
    ACCOUNT_URL: 'http://account',
    ...env,
  });
  const { issue, issueKey } = createTokens({
    ...(await tokenKeysFrom(config)),
    ttlSeconds: 86_400,
    hasEnded: () => false,
  });
  const logged: string[] = [];
  const log = createLog('auth', 'trace', { write: (line) => logged.push(line) });
  const database = openDatabase(PrismaClient, databaseUrl, authService.database?.poolSize);
  const service = await createAuthService({ config, log, database }, accounts);
  const jobs = (service.jobs ?? []).map((job) => job.start(createLog('auth', 'silent')));
  const isReady = () => jobs.every((job) => job.waitingFor?.() === undefined);
  if (waits) await until('the service is ready', isReady);
  return {
    app: service.app,
    issue: async (accountId: string) => (await issue(accountId, Date.now() / 1000)).token,
    /** An API key that no database knows. */
    issueKey(accountId: string, scopes: string[]) {
      const now = Date.now() / 1000;
      return issueKey({ id: crypto.randomUUID(), accountId, authenticatedAt: now, expiresAt: now + 600, scopes });
    },
    log,
    logged,
    isReady,
    async close() {
      await Promise.all(jobs.map((job) => job.stop()));
      await database.close();
    },
  };
}
