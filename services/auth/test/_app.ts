import { randomBytes } from 'node:crypto';
import { importTokenKey } from '@store/shared/auth/token-keys';
import { createLog } from '@store/shared/observability/log';
import { DomainError } from '@store/shared/values/errors';
import type { AccountClient } from '../src/account-client.ts';
import { createApp } from '../src/app.ts';
import type { AccountOut } from '../src/schemas.ts';
import { type CookieOptions, createTokenCookie } from '../src/token-cookie.ts';
import { createTokens } from '../src/tokens.ts';

export const ada = { name: 'Ada Lovelace', email: 'ada@example.com', password: ' correct horse ' };

export const newKey = () => importTokenKey(randomBytes(32).toString('base64'));

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
  cookie?: Partial<CookieOptions>;
}

/** The real application with a key of its own. `logged` grows with what it logs. */
export async function testApp({ accounts = fakeAccounts(), cookie }: Options = {}) {
  const tokens = createTokens({ key: await newKey(), ttlSeconds: 86_400 });
  const logged: string[] = [];
  const log = createLog('auth', 'trace', { write: (line) => logged.push(line) });
  const app = createApp({
    accounts,
    tokens,
    cookie: createTokenCookie({ httpOnly: true, sameSite: 'Lax', secure: false, maxAgeSeconds: 86_400, ...cookie }),
    log,
    production: false,
  });
  return { app, tokens, log, logged };
}
