import { rolesOut } from '@store/shared/contracts/account';
import { roleNames } from '@store/shared/http/identity';
import { type AnyRoute, noContent, ok, problem, route, tooMany } from '@store/shared/http/route';
import type { Logger } from '@store/shared/observability/log';
import { text, uuid } from '@store/shared/values/fields';
import { z } from 'zod';
import { byOperator } from '../by-operator.ts';
import type { Services } from '../services-client.ts';
import { findAccounts, internal, showAccount } from './accounts.ts';
import { listedAccountOut, shownAccountOut } from './schemas.ts';

const base = { tag: 'accounts', ...byOperator } as const;
const params = z.object({ id: uuid });
const path = '/api/accounts/{id}';
const nothing = z.undefined();

/** Makes the routes of accounts: their data, roles, sessions and API keys (contract 3.9 to 3.12). */
export function accountPageRoutes(services: Services, log: Logger): AnyRoute[] {
  /** Has a service change an account, and logs which operator did so. */
  async function change(
    method: 'PUT' | 'POST' | 'DELETE',
    service: 'auth' | 'account',
    below: string,
    { id, by, schema = nothing }: { id: string; by: string; schema?: z.ZodType },
  ) {
    await services.call(method, service, `${internal}/${id}/${below}`, schema, { operator: by });
    log.info({ by, accountId: id, method, below }, 'An account was changed');
    return noContent();
  }

  return [
    route({
      ...base,
      method: 'get',
      path: '/api/accounts',
      operationId: 'findAccounts',
      summary: 'Find accounts',
      query: z.object({
        sought: text(1, 254).describe('A part of the name or the e-mail address, or the beginning of the id.'),
        after: z.string().max(2_000).optional(),
      }),
      responses: {
        200: {
          description: 'The next 20 accounts, newest first.',
          body: z.object({ accounts: z.array(listedAccountOut), next: z.string().nullable() }),
        },
      },
      handler: async ({ query: { sought, after }, headers: { 'console-operator': operator } }) =>
        ok(await findAccounts(services, operator, sought, after)),
    }),
    route({
      ...base,
      method: 'get',
      path,
      operationId: 'showAccount',
      summary: 'Show an account with its roles, sessions and API keys',
      params,
      standsAlone: true,
      responses: { 200: { description: 'The account.', body: shownAccountOut } },
      handler: async ({ params: { id }, headers: { 'console-operator': operator } }) =>
        ok(await showAccount(services, operator, id)),
    }),
    ...(['put', 'delete'] as const).flatMap((method) => {
      const doing = method === 'put' ? 'PUT' : 'DELETE';
      return [
        route({
          ...base,
          method,
          path: `${path}/roles/{role}`,
          operationId: method === 'put' ? 'giveRole' : 'takeRole',
          summary: method === 'put' ? 'Give an account a role' : 'Take a role from an account',
          params: params.extend({ role: z.enum(roleNames) }),
          responses: { 204: { description: 'Changed.' } },
          handler: ({ params: { id, role }, headers: { 'console-operator': by } }) =>
            change(doing, 'auth', `roles/${role}`, { id, by, schema: rolesOut }),
        }),
        route({
          ...base,
          method,
          path: `${path}/lock`,
          operationId: method === 'put' ? 'lockAccount' : 'unlockAccount',
          summary: method === 'put' ? 'Lock an account, which ends its sessions and API keys' : 'Unlock an account',
          params,
          responses: { 204: { description: 'Changed.' } },
          handler: ({ params: { id }, headers: { 'console-operator': by } }) =>
            change(doing, 'auth', 'lock', { id, by }),
        }),
      ];
    }),
    route({
      ...base,
      method: 'post',
      path: `${path}/confirmation`,
      operationId: 'repeatConfirmation',
      summary: 'Send the mail that confirms the e-mail address again',
      params,
      responses: {
        204: { description: 'The mail will be sent.' },
        409: problem('The address is already confirmed.'),
        429: tooMany('Too many such mails within an hour.'),
      },
      handler: ({ params: { id }, headers: { 'console-operator': by } }) =>
        change('POST', 'account', 'confirmation', { id, by }),
    }),
    route({
      ...base,
      method: 'delete',
      path: `${path}/sessions`,
      operationId: 'endSessions',
      summary: 'End all sessions, API keys and links in mails of an account',
      params,
      responses: { 204: { description: 'All have ended.' } },
      handler: ({ params: { id }, headers: { 'console-operator': by } }) =>
        change('DELETE', 'auth', 'sessions', { id, by }),
    }),
    route({
      ...base,
      method: 'delete',
      path: `${path}/sessions/{sessionId}`,
      operationId: 'endSession',
      summary: 'End a session of an account',
      params: params.extend({ sessionId: uuid }),
      responses: { 204: { description: 'The session has ended.' } },
      handler: ({ params: { id, sessionId }, headers: { 'console-operator': by } }) =>
        change('DELETE', 'auth', `sessions/${sessionId}`, { id, by }),
    }),
    route({
      ...base,
      method: 'delete',
      path: `${path}/keys/{keyId}`,
      operationId: 'endKey',
      summary: 'End an API key of an account',
      params: params.extend({ keyId: uuid }),
      responses: { 204: { description: 'The key has ended.' } },
      handler: ({ params: { id, keyId }, headers: { 'console-operator': by } }) =>
        change('DELETE', 'auth', `keys/${keyId}`, { id, by }),
    }),
  ];
}
