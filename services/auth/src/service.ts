import type { RequestListener } from 'node:http';
import { type BearerValidator, bearerChallenge, bearerOf } from '@store/shared/auth/bearer';
import { writersOf } from '@store/shared/contracts/writers';
import { lookRecorder } from '@store/shared/database/audit';
import { createHttpApp } from '@store/shared/http/app';
import { auditCleanUp, auditRoute } from '@store/shared/service/audit';
import type { Service, ServiceContext, ServiceDefinition } from '@store/shared/service/service';
import { DomainError, unavailable } from '@store/shared/values/errors';
import { loop } from '@store/shared/values/loop';
import { hourMs } from '@store/shared/values/time';
import { type AccountClient, createAccountClient } from './account-client.ts';
import { createAuth } from './auth.ts';
import { type AuthConfig, configSchema } from './config.ts';
import { PrismaClient } from './generated/client.ts';
import { createApiKeyRepository } from './keys/api-key-repository.ts';
import { createApiKeyUses } from './keys/api-key-uses.ts';
import { createApiKeys } from './keys/api-keys.ts';
import { createOrphanedKeys } from './keys/orphaned-keys.ts';
import { createLoginFailureRepository } from './login-failure-repository.ts';
import { createRoleRepository } from './roles/role-repository.ts';
import { createRoles, type Roles } from './roles/roles.ts';
import { authRoutes } from './routes.ts';
import { createServiceAccountRepository } from './service-accounts/service-account-repository.ts';
import { createServiceAccounts } from './service-accounts/service-accounts.ts';
import { createEndedSessions, notificationOf } from './sessions/ended-sessions.ts';
import { createFollower, type Follower } from './sessions/follower.ts';
import { createSessionRepository, endedSessionsChannel } from './sessions/session-repository.ts';
import { createCheck } from './tokens/check.ts';
import { createTokenCookie } from './tokens/token-cookie.ts';
import { jwksOf, tokenKeysFrom } from './tokens/token-keys.ts';
import { createTokens, type Tokens } from './tokens/tokens.ts';

export async function createAuthService(
  { config, log, database }: ServiceContext<AuthConfig, PrismaClient>,
  accounts: AccountClient = createAccountClient({
    baseUrl: config.ACCOUNT_URL,
    credential: config.INTERNAL_CREDENTIAL,
  }),
): Promise<Service<PrismaClient>> {
  const ttlSeconds = config.JWT_TTL_SECONDS;
  const keys = await tokenKeysFrom(config);
  const sessions = createSessionRepository(database);
  const failures = createLoginFailureRepository(database);
  const endedSessions = createEndedSessions();
  const roleRepository = createRoleRepository(database);
  const roles = createRoles();
  const keyRepository = createApiKeyRepository(database);
  const kids = [keys.key, ...keys.previousKeys].map(({ kid }) => kid);
  const orphanedKeys = createOrphanedKeys(kids);
  const follower = createFollower({
    name: 'ended sessions',
    databaseUrl: config.DATABASE_URL,
    channel: endedSessionsChannel,
    load: () =>
      Promise.all([
        sessions.load(endedSessions.add),
        roleRepository.load(roles.add),
        keyRepository.load(kids, orphanedKeys.add),
      ]),
    onNotification(payload) {
      const notification = notificationOf(payload);
      if (notification && 'roles' in notification) roles.add(notification);
      else if (notification && 'digest' in notification) orphanedKeys.add(notification);
      else if (notification) endedSessions.add(notification);
    },
  });
  const hasEnded: typeof endedSessions.has = (session) =>
    roles.isLocked(session.accountId) || endedSessions.has(session);
  const tokens = createTokens({
    ...keys,
    ttlSeconds,
    hasEnded,
    isOrphanedKey: orphanedKeys.has,
  });
  const cookie = createTokenCookie(config);
  const parts = { tokens, endedSessions, hasEnded, roles, log };
  const writers = writersOf(config);
  const apiKeys = createApiKeys({ ...parts, accounts, repository: keyRepository, writers });
  const serviceAccountRepository = createServiceAccountRepository(database);
  const serviceAccounts = createServiceAccounts({
    ...parts,
    repository: serviceAccountRepository,
    keyRepository,
    keys: apiKeys,
    writers,
    ttlSeconds,
  });
  const uses = createApiKeyUses(keyRepository.noteUse);
  const auth = createAuth({
    ...parts,
    accounts,
    failures,
    sessions,
    roleRepository,
    apiKeys,
    makerOf: serviceAccountRepository.makerOf,
    follower,
    ttlSeconds,
  });
  const app = createHttpApp({
    title: 'Auth API',
    routes: [
      ...authRoutes({
        auth,
        keys: apiKeys,
        serviceAccounts,
        roles,
        cookie,
        jwks: await jwksOf([keys.key, ...keys.previousKeys]),
        recordLook: lookRecorder(database),
      }),
      auditRoute(database),
    ],
    log,
    config,
    bearer: ownBearer(tokens, roles, follower),
  });
  const check = createCheck({ tokens, roles, uses, endedSessions: follower, log });
  // Every secured request to the store goes through this check, so it bypasses Express.
  const listener: RequestListener = (req, res) => (req.url === '/check' ? check(req, res) : app(req, res));
  return {
    app: listener,
    jobs: [
      follower,
      loop({ name: 'expired sessions', everyMs: hourMs }, async () => {
        endedSessions.forgetExpired();
        orphanedKeys.forgetExpired();
        await sessions.deleteExpired();
        await keyRepository.deleteExpired();
      }),
      loop({ name: 'mails about new API keys' }, apiKeys.announce),
      loop({ name: 'uses of API keys', everyMs: 1_000 }, uses.flush),
      auditCleanUp(database),
      loop({ name: 'forgotten login failures', everyMs: hourMs }, failures.deleteExpired),
    ],
  };
}

export const authService: ServiceDefinition<typeof configSchema, PrismaClient> = {
  name: 'auth',
  configSchema,
  database: {
    PrismaClient,
    migrations: new URL('../prisma/migrations/', import.meta.url),
    // A login runs two short statements and spends most of its time on the password hash.
    poolSize: 5,
  },
  build: (context) => createAuthService(context),
};

/** Auth always requires the bearer token: with `id-account` alone, anyone who can reach auth could end other accounts' sessions. */
function ownBearer(tokens: Tokens, roles: Roles, follower: Pick<Follower, 'isLoaded'>): BearerValidator {
  return async (authorization, accountId) => {
    const session = await tokens.resolve(bearerOf(authorization));
    if (session?.accountId !== accountId) {
      throw new DomainError('unauthenticated', 'The bearer token is missing or invalid.', {
        challenge: bearerChallenge,
      });
    }
    if (!follower.isLoaded()) throw unavailable('The list of ended sessions');
    return { roles: roles.of(accountId), scopes: session.scopes };
  };
}
