import { bearerOf } from '@store/shared/auth/bearer';
import { newApiKeyOut } from '@store/shared/contracts/api-key';
import type { RecordLook } from '@store/shared/database/audit';
import { type AnyRoute, created, noContent, noStore, ok, problem, route, tooMany } from '@store/shared/http/route';
import { uuid } from '@store/shared/values/fields';
import { z } from 'zod';
import type { Auth } from '../auth.ts';
import { apiKeyIn, apiKeysOut } from '../schemas.ts';
import type { ApiKeys } from './api-keys.ts';

/** Has no scope, so an API key cannot make, list or end keys. */
const byCustomer = { tag: 'auth', identity: 'account' } as const;

/** Makes the routes for API keys (contract 3.12). */
export const apiKeyRoutes = (
  auth: Pick<Auth, 'checkPasswordOf'>,
  keys: ApiKeys,
  recordLook: RecordLook,
): AnyRoute[] => [
  route({
    ...byCustomer,
    method: 'post',
    path: '/auth/keys',
    operationId: 'makeApiKey',
    summary: 'Make an API key, which is shown only once',
    body: apiKeyIn,
    responses: {
      201: { description: 'Made.', body: newApiKeyOut, headers: { Location: 'Path of the new key; DELETE ends it.' } },
      403: problem('The account has no right to a scope, the password is wrong, or the caller is an API key.'),
      429: tooMany('Too many wrong passwords for this account.'),
      409: problem('The account has 100 keys that have not expired.'),
    },
    async handler({ actor, accountId, authorization, body: { currentPassword, ...body }, ...client }) {
      if (currentPassword !== undefined) await auth.checkPasswordOf(accountId, currentPassword, client);
      const made = await keys.make(actor, accountId, body, bearerOf(authorization));
      return created(`/auth/keys/${made.id}`, made, noStore);
    },
  }),
  route({
    ...byCustomer,
    method: 'get',
    path: '/auth/keys',
    operationId: 'listApiKeys',
    summary: 'List your API keys',
    responses: { 200: { description: 'API keys, newest first, without their tokens.', body: apiKeysOut } },
    handler: async ({ accountId }) => ok(await keys.list(accountId), noStore),
  }),
  route({
    ...byCustomer,
    method: 'delete',
    path: '/auth/keys/{id}',
    operationId: 'endApiKey',
    summary: 'End one of your API keys',
    params: z.object({ id: uuid }),
    responses: { 204: { description: 'The key has ended.' } },
    async handler({ actor, accountId, params: { id } }) {
      await keys.end(actor, accountId, id);
      return noContent();
    },
  }),
  // Only on the service's own address: the gateway does not route these.
  route({
    identity: 'operator',
    method: 'get',
    path: '/internal/accounts/{id}/keys',
    params: z.object({ id: uuid }),
    responses: { 200: { description: 'API keys, newest first, without their tokens.', body: apiKeysOut } },
    async handler({ actor, params: { id } }) {
      await recordLook(actor, id, 'keys');
      return ok(await keys.list(id), noStore);
    },
  }),
  route({
    identity: 'operator',
    method: 'delete',
    path: '/internal/accounts/{id}/keys/{keyId}',
    params: z.object({ id: uuid, keyId: uuid }),
    responses: { 204: { description: 'The key has ended.' } },
    async handler({ actor, params: { id, keyId } }) {
      await keys.end(actor, id, keyId);
      return noContent();
    },
  }),
];
