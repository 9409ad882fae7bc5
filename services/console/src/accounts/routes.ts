import { accountOut, rolesIn, rolesOut } from '@store/shared/contracts/account';
import { apiKeyOut } from '@store/shared/contracts/api-key';
import { type AnyRoute, noContent, ok, problem, route } from '@store/shared/http/route';
import type { Logger } from '@store/shared/observability/log';
import { DomainError } from '@store/shared/values/errors';
import { text, uuid } from '@store/shared/values/fields';
import { z } from 'zod';
import { byOperator } from '../by-operator.ts';
import type { Services } from '../services-client.ts';

const base = { tag: 'accounts', ...byOperator } as const;
const params = z.object({ id: uuid });
const internal = '/internal/accounts';

const shownAccountOut = rolesOut.extend({
  id: uuid,
  name: z.string().nullable().describe('Null if it was sought by its id.'),
  email: z.string().nullable(),
  keys: z.array(apiKeyOut),
});

/** @param sought its e-mail address, or its id */
async function identify(services: Services, operator: string, sought: string) {
  const id = uuid.safeParse(sought);
  if (id.success) return { id: id.data, name: null, email: null };
  const path = `${internal}?email=${encodeURIComponent(sought)}`;
  const [account] = await services.get('account', path, z.array(accountOut), { operator });
  if (account === undefined) throw new DomainError('notFound', `No account has the e-mail address ${sought}.`);
  return account;
}

/** Makes the routes of the roles and API keys of an account (contract 3.9, 3.12). */
export const accountPageRoutes = (services: Services, log: Logger): AnyRoute[] => [
  route({
    ...base,
    method: 'get',
    path: '/api/account',
    operationId: 'showAccount',
    summary: 'Show the roles and API keys of an account',
    query: z.object({ sought: text(1, 254).describe('Its e-mail address, or its id.') }),
    responses: {
      200: { description: 'The account.', body: shownAccountOut },
      404: problem('There is no such account.'),
    },
    async handler({ query: { sought }, headers: { 'console-operator': operator } }) {
      const { id, name, email } = await identify(services, operator, sought);
      const [{ roles }, keys] = await Promise.all([
        services.get('auth', `${internal}/${id}/roles`, rolesOut, { operator }),
        services.get('auth', `${internal}/${id}/keys`, z.array(apiKeyOut), { operator }),
      ]);
      return ok({ id, name, email, roles, keys });
    },
  }),
  route({
    ...base,
    method: 'put',
    path: '/api/accounts/{id}/roles',
    operationId: 'changeRoles',
    summary: 'Set the roles of an account',
    params,
    body: rolesIn,
    responses: { 204: { description: 'They are set.' } },
    async handler({ params: { id }, headers: { 'console-operator': by }, body }) {
      await services.call('PUT', 'auth', `${internal}/${id}/roles`, rolesOut, { body, operator: by });
      log.info({ by, accountId: id, roles: body.roles }, 'Roles were set');
      return noContent();
    },
  }),
  route({
    ...base,
    method: 'delete',
    path: '/api/accounts/{id}/keys/{keyId}',
    operationId: 'endKey',
    summary: 'End an API key of an account',
    params: params.extend({ keyId: uuid }),
    responses: { 204: { description: 'It has ended.' } },
    async handler({ params: { id, keyId }, headers: { 'console-operator': by } }) {
      await services.call('DELETE', 'auth', `${internal}/${id}/keys/${keyId}`, z.undefined(), { operator: by });
      log.info({ by, accountId: id, keyId }, 'An API key was ended');
      return noContent();
    },
  }),
];
