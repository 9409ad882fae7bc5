import type { RequestListener } from 'node:http';
import { createHttpApp, type HttpAppOptions } from '@store/shared/http/app';
import type { AccountClient } from './account-client.ts';
import { createAuth } from './auth.ts';
import { createCheck } from './check.ts';
import { authRoutes } from './routes.ts';
import type { TokenCookie } from './token-cookie.ts';
import type { Tokens } from './tokens.ts';

export interface AppOptions extends Pick<HttpAppOptions, 'log' | 'production'> {
  accounts: AccountClient;
  tokens: Tokens;
  cookie: TokenCookie;
}

export function createApp({ accounts, tokens, cookie, ...options }: AppOptions): RequestListener {
  const routes = authRoutes(createAuth({ accounts, tokens }), cookie);
  const app = createHttpApp({ ...options, title: 'Auth API', routes });
  const check = createCheck({ tokens, log: options.log });
  // Every secured request of the store comes by here, so it goes without what Express costs.
  return (req, res) => (req.url === '/check' ? check(req, res) : app(req, res));
}
