import type { RequestListener } from 'node:http';
import { createHttpApp } from '@store/shared/http/app';
import type { Service, ServiceContext, ServiceDefinition } from '@store/shared/service/service';
import { type AccountClient, createAccountClient } from './account-client.ts';
import { createAuth } from './auth.ts';
import { createCheck } from './check.ts';
import { type AuthConfig, configSchema } from './config.ts';
import { authRoutes } from './routes.ts';
import { createTokenCookie } from './token-cookie.ts';
import { jwksOf, tokenKeysFrom } from './token-keys.ts';
import { createTokens } from './tokens.ts';

type Context = Pick<ServiceContext<AuthConfig>, 'config' | 'log'>;

export async function createAuthService(
  { config, log }: Context,
  accounts: AccountClient = createAccountClient({
    baseUrl: config.ACCOUNT_URL,
    credential: config.INTERNAL_CREDENTIAL,
  }),
): Promise<Service> {
  const { key, previousKeys } = await tokenKeysFrom(config);
  const tokens = createTokens({ key, previousKeys, ttlSeconds: config.JWT_TTL_SECONDS });
  const jwks = await jwksOf([key, ...previousKeys]);
  const cookie = createTokenCookie({
    httpOnly: config.JWT_HTTP_ONLY,
    sameSite: config.COOKIE_SAME_SITE,
    secure: config.COOKIE_SECURE,
    maxAgeSeconds: config.JWT_TTL_SECONDS,
  });
  const routes = authRoutes(createAuth({ accounts, tokens, log }), cookie, jwks);
  const app = createHttpApp({ title: 'Auth API', routes, log, profile: config.APP_PROFILE });
  const check = createCheck({ tokens, log });
  // Every secured request of the store is checked here, so the check avoids the cost of Express.
  const listener: RequestListener = (req, res) => (req.url === '/check' ? check(req, res) : app(req, res));
  return { app: listener };
}

export const authService: ServiceDefinition<typeof configSchema> = {
  name: 'auth',
  configSchema,
  build: (context) => createAuthService(context),
};
