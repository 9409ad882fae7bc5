import type { RequestListener } from 'node:http';
import { createHttpApp } from '@store/shared/http/app';
import { hourly } from '@store/shared/service/schedule';
import type { Service, ServiceContext, ServiceDefinition } from '@store/shared/service/service';
import { type AccountClient, createAccountClient } from './account-client.ts';
import { createAuth } from './auth.ts';
import { createCheck } from './check.ts';
import { type AuthConfig, configSchema } from './config.ts';
import type { DB } from './generated/tables.ts';
import { createLoginFailureRepository } from './login-failure-repository.ts';
import { authRoutes } from './routes.ts';
import { createTokenCookie } from './token-cookie.ts';
import { jwksOf, tokenKeysFrom } from './token-keys.ts';
import { createTokens } from './tokens.ts';

export async function createAuthService(
  { config, log, database }: ServiceContext<AuthConfig, DB>,
  accounts: AccountClient = createAccountClient({
    baseUrl: config.ACCOUNT_URL,
    credential: config.INTERNAL_CREDENTIAL,
  }),
): Promise<Service<DB>> {
  const { key, previousKeys } = await tokenKeysFrom(config);
  const tokens = createTokens({ key, previousKeys, ttlSeconds: config.JWT_TTL_SECONDS });
  const jwks = await jwksOf([key, ...previousKeys]);
  const cookie = createTokenCookie({
    httpOnly: config.JWT_HTTP_ONLY,
    sameSite: config.COOKIE_SAME_SITE,
    secure: config.COOKIE_SECURE,
    maxAgeSeconds: config.JWT_TTL_SECONDS,
  });
  const failures = createLoginFailureRepository(database.kysely);
  const routes = authRoutes(createAuth({ accounts, tokens, failures, log }), cookie, jwks);
  const app = createHttpApp({ title: 'Auth API', routes, log, profile: config.APP_PROFILE });
  const check = createCheck({ tokens, log });
  // Every secured request of the store is checked here, so the check avoids the cost of Express.
  const listener: RequestListener = (req, res) => (req.url === '/check' ? check(req, res) : app(req, res));
  return { app: listener, jobs: [hourly('forgotten login failures', failures.deleteForgotten)] };
}

export const authService: ServiceDefinition<typeof configSchema, DB> = {
  name: 'auth',
  configSchema,
  migrations: new URL('../prisma/migrations/', import.meta.url),
  // A login takes two short statements, and most of its time is spent on the password.
  poolSize: 5,
  // Token checks need none, and without them no secured request of the store would be answered.
  servesWithoutDatabase: true,
  build: (context) => createAuthService(context),
};
