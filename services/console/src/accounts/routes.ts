import { rolesIn } from '@store/shared/contracts/account';
import { type AnyRoute, noContent, ok, problem, route } from '@store/shared/http/route';
import { text, uuid } from '@store/shared/values/fields';
import { z } from 'zod';
import { byOperator } from '../by-operator.ts';
import type { Accounts } from './accounts.ts';
import { shownAccountOut } from './schemas.ts';

const base = { tag: 'accounts', ...byOperator } as const;
const params = z.object({ id: uuid });

export const accountPageRoutes = (accounts: Accounts): AnyRoute[] => [
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
    handler: async ({ query: { sought } }) => ok(await accounts.find(sought)),
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
    async handler({ params: { id }, headers, body: { roles } }) {
      await accounts.setRoles(headers['console-operator'], id, roles);
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
    async handler({ params: { id, keyId }, headers }) {
      await accounts.endKey(headers['console-operator'], id, keyId);
      return noContent();
    },
  }),
];
