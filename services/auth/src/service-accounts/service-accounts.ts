import { randomUUID } from 'node:crypto';
import type { serviceAccountsWithKeys } from '@store/shared/contracts/service-account';
import type { Writers } from '@store/shared/contracts/writers';
import { lacksRole, type Role } from '@store/shared/http/identity';
import type { Logger } from '@store/shared/observability/log';
import { DomainError, found } from '@store/shared/values/errors';
import type { z } from 'zod';
import type { ApiKeyRepository } from '../keys/api-key-repository.ts';
import { type ApiKeys, mustHaveScopes } from '../keys/api-keys.ts';
import type { Roles } from '../roles/roles.ts';
import type {
  ApiKeyOut,
  NewApiKeyOut,
  ServiceAccountChange,
  ServiceAccountIn,
  ServiceAccountOut,
  ServiceKeyIn,
} from '../schemas.ts';
import type { EndedSessions } from '../sessions/ended-sessions.ts';
import type { ServiceAccountRepository } from './service-account-repository.ts';

interface Dependencies {
  repository: ServiceAccountRepository;
  keyRepository: Pick<ApiKeyRepository, 'ofAccounts'>;
  keys: Pick<ApiKeys, 'makeOfMachine' | 'list' | 'end'>;
  roles: Roles;
  endedSessions: Pick<EndedSessions, 'add'>;
  /** Accounts that may write products, as configured for auth. The product service decides. */
  writers: Writers;
  ttlSeconds: number;
  log: Logger;
}

/** @throws DomainError forbidden for a role that the operator lacks */
function mustOwn(needed: readonly string[], owned: readonly string[]): void {
  const lacking = needed.find((role) => !owned.includes(role));
  if (lacking !== undefined) throw lacksRole(lacking as Role); // checked by the schema
}

/** Names the scope, because the operator chooses both; the role is not the operator's own. */
const accountLacks = (role: Role, scope: string) =>
  new DomainError('forbidden', `A service account needs the role ${role} for the scope ${scope}.`);

export type ServiceAccounts = ReturnType<typeof createServiceAccounts>;

/**
 * Accounts of machines (contract 3.13). An operator makes one with rights up to the operator's own. From then on it is independent of
 * that person: it stays when the operator's password changes, the role is taken away, or the account is deleted.
 */
export function createServiceAccounts(dependencies: Dependencies) {
  const { repository, keyRepository, keys, roles, endedSessions, writers, ttlSeconds, log } = dependencies;

  const existing = async (id: string): Promise<ServiceAccountOut> =>
    found(await repository.find(id), `service account ${id}`);

  return {
    list: (): Promise<ServiceAccountOut[]> => repository.list(),

    /** Lists all accounts with their keys. */
    async listWithKeys(): Promise<z.output<typeof serviceAccountsWithKeys>> {
      const accounts = await repository.list();
      const all = await keyRepository.ofAccounts(accounts.map(({ id }) => id));
      return accounts.map((account) => ({
        ...account,
        keys: all.filter(({ accountId }) => accountId === account.id).map(({ accountId: _, ...key }) => key),
      }));
    },

    get: existing,

    /**
     * @param by the operator, as the audit trail names them
     * @param owned the roles of the operator
     * @throws DomainError forbidden for a role that the operator lacks, or a scope that an account with these roles has no right to;
     * conflict if there are too many service accounts
     */
    async create(by: string, owned: readonly string[], account: ServiceAccountIn): Promise<ServiceAccountOut> {
      mustOwn(account.roles, owned);
      const id = randomUUID();
      mustHaveScopes(account.scopes, { accountId: id, owned: account.roles, writers }, accountLacks);
      roles.add(await repository.create(by, id, account));
      log.info({ accountId: id, scopes: account.scopes, roles: account.roles, by }, 'Service account created');
      return existing(id);
    },

    /** @throws DomainError notFound */
    async change(by: string, id: string, change: ServiceAccountChange): Promise<ServiceAccountOut> {
      const { account, access } = found(await repository.change(by, id, change), `service account ${id}`);
      if (access !== undefined) {
        roles.add(access);
        log.info({ accountId: id, paused: account.paused, by }, 'Service account paused or resumed');
      }
      return account;
    },

    /** @throws DomainError notFound */
    async delete(by: string, id: string): Promise<void> {
      const { access, cutoff } = found(await repository.delete(by, id, ttlSeconds), `service account ${id}`);
      endedSessions.add(cutoff);
      roles.add(access);
      log.info({ accountId: id, by }, 'Service account deleted');
    },

    /**
     * Makes a key with the scopes of the account. Two keys can be valid at once, so that one can be replaced while it is in use.
     * @param owned the roles of the operator, who can use the key
     * @param bearer the token of the operator's session; undefined for an operator who has shown a credential of the store
     * @throws DomainError notFound, forbidden for a role that the operator lacks, conflict if two keys are valid, unauthenticated if the
     * session has ended
     */
    async makeKey(
      by: string,
      owned: readonly string[],
      id: string,
      key: Omit<ServiceKeyIn, 'currentPassword'>,
      bearer?: string,
    ): Promise<NewApiKeyOut> {
      const { scopes, roles: needed } = await existing(id);
      mustOwn(needed, owned);
      return keys.makeOfMachine(by, { ...key, accountId: id, scopes }, bearer);
    },

    /** Lists the keys that have not expired or ended, newest first. @throws DomainError notFound */
    async listKeys(id: string): Promise<ApiKeyOut[]> {
      await existing(id);
      return keys.list(id);
    },

    /** @throws DomainError notFound */
    async endKey(by: string, id: string, keyId: string): Promise<void> {
      await existing(id);
      await keys.end(by, id, keyId);
    },
  };
}
