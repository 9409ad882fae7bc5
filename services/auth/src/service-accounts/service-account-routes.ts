import { bearerOf } from '@store/shared/auth/bearer';
import { newApiKeyOut } from '@store/shared/contracts/api-key';
import { serviceAccountIn, serviceAccountOut, serviceAccountsWithKeys } from '@store/shared/contracts/service-account';
import { roleNames } from '@store/shared/http/identity';
import { type AnyRoute, created, noContent, noStore, ok, problem, route, tooMany } from '@store/shared/http/route';
import { accountOfActor } from '@store/shared/values/audit';
import { uuid } from '@store/shared/values/fields';
import { z } from 'zod';
import type { Auth } from '../auth.ts';
import type { Roles } from '../roles/roles.ts';
import { apiKeysOut, serviceAccountChange, serviceAccountsOut, serviceKeyIn } from '../schemas.ts';
import type { ServiceAccounts } from './service-accounts.ts';

/** Has no scope, so no key makes service accounts or keys, and a machine cannot give itself rights. */
const byOperator = { tag: 'auth', identity: 'account', role: 'operator' } as const;
const params = z.object({ id: uuid });
const withKey = params.extend({ keyId: uuid });

interface Parts {
  auth: Pick<Auth, 'checkPasswordOf'>;
  accounts: ServiceAccounts;
  roles: Pick<Roles, 'of'>;
}

/** Makes the routes for the accounts of machines (contract 3.13). */
export const serviceAccountRoutes = ({ auth, accounts, roles }: Parts): AnyRoute[] => [
  route({
    ...byOperator,
    method: 'post',
    path: '/auth/service-accounts',
    operationId: 'createServiceAccount',
    summary: 'Create an account for a machine, as an operator',
    body: serviceAccountIn,
    responses: {
      201: { description: 'Created.', body: serviceAccountOut, headers: { Location: 'Path of the service account.' } },
      403: problem('You lack one of the roles, or an account with these roles has no right to a scope.'),
      409: problem('There are 100 service accounts.'),
    },
    async handler({ actor, accountId, body }) {
      const account = await accounts.create(actor, roles.of(accountId), body);
      return created(`/auth/service-accounts/${account.id}`, account, noStore);
    },
  }),
  route({
    ...byOperator,
    method: 'get',
    path: '/auth/service-accounts',
    operationId: 'listServiceAccounts',
    summary: 'List the accounts of machines, as an operator',
    responses: { 200: { description: 'Service accounts, newest first.', body: serviceAccountsOut } },
    handler: async () => ok(await accounts.list(), noStore),
  }),
  route({
    ...byOperator,
    method: 'get',
    path: '/auth/service-accounts/{id}',
    operationId: 'getServiceAccount',
    summary: 'Fetch the account of a machine, as an operator',
    params,
    responses: { 200: { description: 'The service account.', body: serviceAccountOut } },
    handler: async ({ params: { id } }) => ok(await accounts.get(id), noStore),
  }),
  route({
    ...byOperator,
    method: 'patch',
    path: '/auth/service-accounts/{id}',
    operationId: 'changeServiceAccount',
    summary: 'Rename, pause or resume the account of a machine, as an operator',
    params,
    body: serviceAccountChange,
    responses: {
      200: { description: 'The service account. Its keys are refused while it is paused.', body: serviceAccountOut },
    },
    handler: async ({ actor, params: { id }, body }) => ok(await accounts.change(actor, id, body), noStore),
  }),
  route({
    ...byOperator,
    method: 'delete',
    path: '/auth/service-accounts/{id}',
    operationId: 'deleteServiceAccount',
    summary: 'Delete the account of a machine and end its keys, as an operator',
    params,
    responses: { 204: { description: 'Deleted. Its keys have ended.' } },
    async handler({ actor, params: { id } }) {
      await accounts.delete(actor, id);
      return noContent();
    },
  }),
  route({
    ...byOperator,
    method: 'post',
    path: '/auth/service-accounts/{id}/keys',
    operationId: 'makeServiceKey',
    summary: 'Make a key for a machine, which is shown only once, as an operator',
    params,
    body: serviceKeyIn,
    responses: {
      201: { description: 'Made.', body: newApiKeyOut, headers: { Location: 'Path of the new key; DELETE ends it.' } },
      403: problem('Your password is wrong, or you lack a role of the service account.'),
      409: problem('The service account has two valid keys.'),
      429: tooMany('Too many wrong passwords for your account.'),
    },
    async handler({ actor, accountId, authorization, params: { id }, body: { currentPassword, ...body }, ...client }) {
      if (currentPassword !== undefined) await auth.checkPasswordOf(accountId, currentPassword, client);
      const made = await accounts.makeKey(actor, roles.of(accountId), id, body, bearerOf(authorization));
      return created(`/auth/service-accounts/${id}/keys/${made.id}`, made, noStore);
    },
  }),
  route({
    ...byOperator,
    method: 'get',
    path: '/auth/service-accounts/{id}/keys',
    operationId: 'listServiceKeys',
    summary: 'List the keys of a machine, as an operator',
    params,
    responses: { 200: { description: 'Keys, newest first, without their tokens.', body: apiKeysOut } },
    handler: async ({ params: { id } }) => ok(await accounts.listKeys(id), noStore),
  }),
  route({
    ...byOperator,
    method: 'delete',
    path: '/auth/service-accounts/{id}/keys/{keyId}',
    operationId: 'endServiceKey',
    summary: 'End a key of a machine, as an operator',
    params: withKey,
    responses: { 204: { description: 'The key has ended.' } },
    async handler({ actor, params: { id, keyId } }) {
      await accounts.endKey(actor, id, keyId);
      return noContent();
    },
  }),
  ...internalRoutes({ accounts, roles }),
];

/** An operator of the console is named by the account that is logged in. A shared token or a command has all rights. */
function rolesOf(actor: string, roles: Pick<Roles, 'of'>): readonly string[] {
  const account = accountOfActor(actor);
  return account?.as === 'operator' ? roles.of(account.accountId) : roleNames;
}

/** The same for the console, on the service's own address. */
function internalRoutes({ accounts, roles }: Omit<Parts, 'auth'>): AnyRoute[] {
  const path = '/internal/service-accounts';
  return [
    route({
      identity: 'operator',
      method: 'get',
      path,
      responses: { 200: { description: 'Service accounts, newest first.', body: serviceAccountsWithKeys } },
      handler: async () => ok(await accounts.listWithKeys(), noStore),
    }),
    route({
      identity: 'operator',
      method: 'post',
      path,
      body: serviceAccountIn,
      responses: {
        201: {
          description: 'Created.',
          body: serviceAccountOut,
          headers: { Location: 'Path of the service account.' },
        },
        403: problem('The operator lacks one of the roles, or such an account has no right to a scope.'),
        409: problem('There are 100 service accounts.'),
      },
      async handler({ actor, body }) {
        const account = await accounts.create(actor, rolesOf(actor, roles), body);
        return created(`${path}/${account.id}`, account, noStore);
      },
    }),
    route({
      identity: 'operator',
      method: 'patch',
      path: `${path}/{id}`,
      params,
      body: serviceAccountChange,
      responses: { 200: { description: 'The service account.', body: serviceAccountOut } },
      handler: async ({ actor, params: { id }, body }) => ok(await accounts.change(actor, id, body), noStore),
    }),
    route({
      identity: 'operator',
      method: 'delete',
      path: `${path}/{id}`,
      params,
      responses: { 204: { description: 'Deleted. Its keys have ended.' } },
      async handler({ actor, params: { id } }) {
        await accounts.delete(actor, id);
        return noContent();
      },
    }),
    route({
      identity: 'operator',
      method: 'post',
      path: `${path}/{id}/keys`,
      params,
      body: serviceKeyIn,
      responses: {
        201: {
          description: 'Made. Its token is not shown again.',
          body: newApiKeyOut,
          headers: { Location: 'Path of the new key; DELETE ends it.' },
        },
        403: problem('The operator lacks a role of the service account.'),
        409: problem('The service account has two valid keys.'),
      },
      async handler({ actor, params: { id }, body: { currentPassword: _, ...body } }) {
        const made = await accounts.makeKey(actor, rolesOf(actor, roles), id, body);
        return created(`${path}/${id}/keys/${made.id}`, made, noStore);
      },
    }),
    route({
      identity: 'operator',
      method: 'delete',
      path: `${path}/{id}/keys/{keyId}`,
      params: withKey,
      responses: { 204: { description: 'The key has ended.' } },
      async handler({ actor, params: { id, keyId } }) {
        await accounts.endKey(actor, id, keyId);
        return noContent();
      },
    }),
  ];
}
