import { newApiKeyOut } from '@store/shared/contracts/api-key';
import { serviceAccountIn, serviceAccountOut, serviceAccountsWithKeys } from '@store/shared/contracts/service-account';
import { roleNames, scopeNames } from '@store/shared/http/identity';
import { type AnyRoute, created, noContent, noStore, ok, problem, route } from '@store/shared/http/route';
import type { Logger } from '@store/shared/observability/log';
import { text, uuid } from '@store/shared/values/fields';
import { z } from 'zod';
import { byOperator } from '../by-operator.ts';
import type { Services } from '../services-client.ts';

const base = { tag: 'accounts', ...byOperator } as const;
const path = '/api/machines';
const params = z.object({ id: uuid });
const internal = '/internal/service-accounts';

/** Makes the routes of the accounts of machines (contract 3.13). */
export const machineRoutes = (services: Services, log: Logger): AnyRoute[] => [
  route({
    ...base,
    method: 'get',
    path,
    operationId: 'listMachines',
    summary: 'List service accounts with their keys, and the rights that there are',
    responses: {
      200: {
        description: 'Service accounts, newest first.',
        body: z.object({ machines: serviceAccountsWithKeys, scopes: z.array(z.string()), roles: z.array(z.string()) }),
      },
    },
    async handler({ headers: { 'console-operator': operator } }) {
      const machines = await services.get('auth', internal, serviceAccountsWithKeys, { operator });
      return ok({ machines, scopes: [...scopeNames], roles: [...roleNames] });
    },
  }),
  route({
    ...base,
    method: 'post',
    path,
    operationId: 'createMachine',
    summary: 'Create a service account',
    body: serviceAccountIn,
    responses: {
      201: { description: 'Created.', body: serviceAccountOut },
      403: problem('The service account would have no right to a scope.'),
      409: problem('There are 100 service accounts.'),
    },
    async handler({ body, headers: { 'console-operator': operator } }) {
      const sent = { operator, body, forbids: true };
      const made = await services.call('POST', 'auth', internal, serviceAccountOut, sent);
      log.info({ by: operator, accountId: made.body.id }, 'A service account was created');
      return created(`${path}/${made.body.id}`, made.body);
    },
  }),
  route({
    ...base,
    method: 'put',
    path: `${path}/{id}/pause`,
    operationId: 'pauseMachine',
    summary: 'Pause a service account, so that its keys are refused, or resume it',
    params,
    body: z.object({ paused: z.boolean() }),
    responses: { 204: { description: 'Changed.' } },
    async handler({ params: { id }, body, headers: { 'console-operator': operator } }) {
      await services.call('PATCH', 'auth', `${internal}/${id}`, serviceAccountOut, { operator, body });
      log.info({ by: operator, accountId: id, ...body }, 'A service account was paused or resumed');
      return noContent();
    },
  }),
  route({
    ...base,
    method: 'delete',
    path: `${path}/{id}`,
    operationId: 'deleteMachine',
    summary: 'Delete a service account and end its keys',
    params,
    responses: { 204: { description: 'Deleted.' } },
    async handler({ params: { id }, headers: { 'console-operator': operator } }) {
      await services.call('DELETE', 'auth', `${internal}/${id}`, z.undefined(), { operator });
      log.info({ by: operator, accountId: id }, 'A service account was deleted');
      return noContent();
    },
  }),
  route({
    ...base,
    method: 'post',
    path: `${path}/{id}/keys`,
    operationId: 'makeMachineKey',
    summary: 'Make a key of a service account, which is shown only once',
    params,
    body: z.object({ name: text(1, 100) }),
    responses: {
      200: { description: 'The new key.', body: newApiKeyOut },
      403: problem('The operator lacks a role of the service account.'),
      409: problem('The service account has two valid keys.'),
    },
    async handler({ params: { id }, body, headers: { 'console-operator': operator } }) {
      const made = await services.call('POST', 'auth', `${internal}/${id}/keys`, newApiKeyOut, {
        ...{ operator, body, forbids: true },
      });
      log.info({ by: operator, accountId: id, keyId: made.body.id }, 'A key of a service account was made');
      return ok(made.body, noStore);
    },
  }),
  route({
    ...base,
    method: 'delete',
    path: `${path}/{id}/keys/{keyId}`,
    operationId: 'endMachineKey',
    summary: 'End a key of a service account',
    params: params.extend({ keyId: uuid }),
    responses: { 204: { description: 'The key has ended.' } },
    async handler({ params: { id, keyId }, headers: { 'console-operator': operator } }) {
      await services.call('DELETE', 'auth', `${internal}/${id}/keys/${keyId}`, z.undefined(), { operator });
      log.info({ by: operator, accountId: id, keyId }, 'A key of a service account was ended');
      return noContent();
    },
  }),
];
