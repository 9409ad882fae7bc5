import { randomBytes } from 'node:crypto';
import { importTokenKey } from '@store/shared/auth/token-keys';
import type { AccountOut } from '@store/shared/contracts/account';
import { createLog } from '@store/shared/observability/log';
import { DomainError } from '@store/shared/values/errors';
import type { AccountClient } from '../src/account-client.ts';
import { configSchema } from '../src/config.ts';
import { createAuthService } from '../src/service.ts';
import { tokenKeysFrom } from '../src/token-keys.ts';
import { createTokens } from '../src/tokens.ts';

export const ada = { name: 'Ada Lovelace', email: 'ada@example.com', password: ' correct horse ' };

const newSecret = () => randomBytes(32).toString('base64');
export const newKey = () => importTokenKey(newSecret());

/** The account service as far as auth can see it. */
export function fakeAccounts(): AccountClient & { calls: unknown[] } {
  const known = new Map<string, { account: AccountOut; password: string }>();
  const calls: unknown[] = [];
  return {
    calls,
    async register({ name, email, password }) {
      calls.push({ register: { name, email, password } });
      if (known.has(email)) throw new DomainError('conflict', 'Taken.', { code: 'email-taken' });
      const account = { id: crypto.randomUUID(), name, email, createdAt: new Date().toISOString() };
      known.set(email, { account, password });
      return account;
    },
    async checkPassword({ email, password }) {
      calls.push({ checkPassword: { email, password } });
      const found = known.get(email);
      return found?.password === password ? found.account : undefined;
    },
  };
}

interface Options {
  accounts?: AccountClient;
  env?: Record<string, string>;
}

/** The real service with a key of its own, and `tokens` that issue what it accepts. `logged` grows with its log lines. */
export async function testApp({ accounts = fakeAccounts(), env }: Options = {}) {
  const config = configSchema.parse({ JWT_SECRET_KEY: newSecret(), ACCOUNT_URL: 'http://account', ...env });
  const tokens = createTokens({ ...(await tokenKeysFrom(config)), ttlSeconds: 86_400 });
  const logged: string[] = [];
  const log = createLog('auth', 'trace', { write: (line) => logged.push(line) });
  const { app } = await createAuthService({ config, log }, accounts);
  return { app, tokens, log, logged };
}
