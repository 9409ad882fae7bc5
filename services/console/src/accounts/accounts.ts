import { accountOut, rolesOut } from '@store/shared/contracts/account';
import { apiKeyOut } from '@store/shared/contracts/api-key';
import type { Role } from '@store/shared/http/identity';
import type { Logger } from '@store/shared/observability/log';
import { DomainError } from '@store/shared/values/errors';
import { uuid } from '@store/shared/values/fields';
import { z } from 'zod';
import type { Services } from '../services-client.ts';

export type Accounts = ReturnType<typeof createAccounts>;

const path = '/internal/accounts';

/** Roles and API keys of an account (contract 3.9, 3.12). */
export function createAccounts(services: Services, log: Logger) {
  async function identify(sought: string) {
    const id = uuid.safeParse(sought);
    if (id.success) return { id: id.data, name: null, email: null };
    const query = `email=${encodeURIComponent(sought)}`;
    const [account] = await services.get('account', `${path}?${query}`, z.array(accountOut));
    if (account === undefined) throw new DomainError('notFound', `No account has the e-mail address ${sought}.`);
    return account;
  }

  return {
    /** @param sought its e-mail address, or its id */
    async find(sought: string) {
      const { id, name, email } = await identify(sought);
      const [{ roles }, keys] = await Promise.all([
        services.get('auth', `${path}/${id}/roles`, rolesOut),
        services.get('auth', `${path}/${id}/keys`, z.array(apiKeyOut)),
      ]);
      return { id, name, email, roles, keys };
    },
    async setRoles(by: string, id: string, roles: Role[]): Promise<void> {
      await services.call('PUT', 'auth', `${path}/${id}/roles`, rolesOut, { body: { roles }, operator: by });
      log.info({ by, accountId: id, roles }, 'Roles were set');
    },
    async endKey(by: string, id: string, keyId: string): Promise<void> {
      await services.call('DELETE', 'auth', `${path}/${id}/keys/${keyId}`, z.undefined(), { operator: by });
      log.info({ by, accountId: id, keyId }, 'An API key was ended');
    },
  };
}
