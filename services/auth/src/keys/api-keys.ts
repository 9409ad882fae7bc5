import { randomUUID } from 'node:crypto';
import { mustBeWriter, type Writers } from '@store/shared/contracts/writers';
import { isOperatorScope, lacksRole, type Role } from '@store/shared/http/identity';
import type { Logger } from '@store/shared/observability/log';
import { type DomainError, found } from '@store/shared/values/errors';
import { dayMs } from '@store/shared/values/time';
import type { AccountClient } from '../account-client.ts';
import type { Roles } from '../roles/roles.ts';
import { type ApiKeyIn, type ApiKeyOut, freeKeyDays, type NewApiKeyOut } from '../schemas.ts';
import type { EndedSessions } from '../sessions/ended-sessions.ts';
import { digestOf, type Session, type Tokens } from '../tokens/tokens.ts';
import { type ApiKeyRepository, type Maker, sessionEnded } from './api-key-repository.ts';

interface Dependencies {
  tokens: Tokens;
  accounts: Pick<AccountClient, 'announceKey'>;
  repository: ApiKeyRepository;
  endedSessions: EndedSessions;
  roles: Roles;
  /** Accounts that may write products, as configured for auth. The product service decides. */
  writers: Writers;
  log: Logger;
}

interface WantedKey {
  accountId: string;
  name: string;
  scopes: string[];
  expiresAt?: string | undefined;
}

export type ApiKeys = ReturnType<typeof createApiKeys>;

/**
 * Checks that an account may have keys with these scopes.
 * @param lacks makes the refusal for a missing role
 * @throws DomainError forbidden for a scope that it has no right to
 */
export function mustHaveScopes(
  scopes: readonly string[],
  { accountId, owned, writers }: { accountId: string; owned: readonly string[]; writers: Writers },
  lacks: (role: Role, scope: string) => DomainError = lacksRole,
): void {
  for (const scope of scopes) {
    const role = roleFor(scope, writers);
    if (role !== undefined && !owned.includes(role)) throw lacks(role, scope);
    if (scope === 'products:write') mustBeWriter(writers, accountId, owned);
  }
}

function roleFor(scope: string, writers: Writers): Role | undefined {
  if (isOperatorScope(scope)) return 'operator';
  const isOfCatalogue = scope === 'stock:write' || (scope === 'products:write' && writers === 'role:catalogue');
  return isOfCatalogue ? 'catalogue' : undefined;
}

/** The API keys of accounts (contract 3.12). */
export function createApiKeys({ tokens, accounts, repository, endedSessions, roles, writers, log }: Dependencies) {
  async function sessionOf(bearer: string): Promise<Session> {
    const session = await tokens.resolve(bearer);
    if (session === undefined) throw sessionEnded();
    return session;
  }

  async function make(
    by: string,
    { name, expiresAt, ...wanted }: WantedKey & { isOfMachine: boolean },
    maker: Maker,
  ): Promise<NewApiKeyOut> {
    const endsAt = expiresAt === undefined ? Date.now() + freeKeyDays * dayMs : Date.parse(expiresAt);
    const key = { ...wanted, id: randomUUID(), expiresAt: Math.floor(endsAt / 1000) };
    const made = await repository.make(by, { ...key, name }, maker, async (authenticatedAt) => {
      const token = await tokens.issueKey({ ...key, authenticatedAt });
      return { token, digest: digestOf(token), kid: tokens.kid };
    });
    const { id, accountId, scopes } = key;
    log.info({ accountId, keyId: id, scopes }, 'API key made');
    return {
      id,
      name,
      scopes,
      key: made.token,
      lastUsedAt: null,
      createdAt: new Date(made.createdAt * 1000).toISOString(),
      expiresAt: new Date(key.expiresAt * 1000).toISOString(),
    };
  }

  return {
    /**
     * Makes a key of the account that a session belongs to. Its token is returned only by this call.
     * @param by who makes it, as the audit trail names them
     * @param bearer the token of the session that makes it
     * @throws DomainError forbidden for a scope that the account has no right to, conflict for too many keys, unauthenticated if the
     * session has ended
     */
    async make(
      by: string,
      accountId: string,
      { name, scopes, expiresAt }: Omit<ApiKeyIn, 'currentPassword'>,
      bearer: string,
    ): Promise<NewApiKeyOut> {
      const session = await sessionOf(bearer);
      mustHaveScopes(scopes, { accountId, owned: roles.of(accountId), writers });
      return make(by, { accountId, name, scopes, expiresAt, isOfMachine: false }, session);
    },

    /**
     * Makes a key of a service account. Its token is returned only by this call.
     * @param by who makes it, as the audit trail names them
     * @param bearer the token of the operator's session; undefined for an operator who has shown a credential of the store
     * @throws DomainError notFound, conflict if two keys are valid, unauthenticated if the session has ended
     */
    makeOfMachine: async (by: string, key: WantedKey, bearer: string | undefined): Promise<NewApiKeyOut> =>
      make(by, { ...key, isOfMachine: true }, bearer === undefined ? 'operator' : await sessionOf(bearer)),

    /** Has a mail about each new key sent to its owner, at least once. @returns true if there may be more keys */
    async announce(): Promise<boolean> {
      const made = await repository.unannounced();
      for (const { id, accountId } of made) {
        await accounts.announceKey(accountId, id);
        await repository.noteAnnounced(id);
      }
      return made.length > 0;
    },

    /** Lists the keys that have not expired or ended, newest first. */
    async list(accountId: string): Promise<ApiKeyOut[]> {
      const keys = await repository.ofAccounts([accountId]);
      return keys.map(({ accountId: _, ...key }) => key);
    },

    /** @throws DomainError notFound */
    async end(by: string, accountId: string, id: string): Promise<void> {
      const expiresAt = found(await repository.end(by, accountId, id), `API key ${id}`);
      endedSessions.add({ id, expiresAt });
      log.info({ accountId, keyId: id, by }, 'API key ended');
    },
  };
}
