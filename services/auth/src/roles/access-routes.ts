import { lockOut, rolesIn, rolesOut, shownSessionsOut } from '@store/shared/contracts/account';
import type { RecordLook } from '@store/shared/database/audit';
import { roleNames } from '@store/shared/http/identity';
import { type AnyRoute, noContent, noStore, ok, route } from '@store/shared/http/route';
import { uuid } from '@store/shared/values/fields';
import { z } from 'zod';
import type { Auth } from '../auth.ts';

const byOperator = { identity: 'operator' } as const;
const params = z.object({ id: uuid });
const withRole = params.extend({ role: z.enum(roleNames) });
const currentRoles = { 200: { description: 'The current roles of the account.', body: rolesOut } };

/** Routes for operators to see and change what an account may do (contract 3.9). The gateway does not route them. */
export const accessRoutes = (auth: Auth, recordLook: RecordLook): AnyRoute[] => [
  route({
    ...byOperator,
    method: 'get',
    path: '/internal/accounts/{id}/roles',
    params,
    responses: currentRoles,
    async handler({ actor, params: { id } }) {
      const owned = await auth.rolesOf(id);
      await recordLook(actor, id, 'roles');
      return ok(owned);
    },
  }),
  route({
    ...byOperator,
    method: 'put',
    path: '/internal/accounts/{id}/roles',
    params,
    body: rolesIn,
    responses: currentRoles,
    handler: async ({ actor, params: { id }, body }) => ok(await auth.setRoles(actor, id, body.roles)),
  }),
  route({
    ...byOperator,
    method: 'put',
    path: '/internal/accounts/{id}/roles/{role}',
    params: withRole,
    responses: currentRoles,
    handler: async ({ actor, params: { id, role } }) => ok(await auth.changeRole('give', actor, id, role)),
  }),
  route({
    ...byOperator,
    method: 'delete',
    path: '/internal/accounts/{id}/roles/{role}',
    params: withRole,
    responses: currentRoles,
    handler: async ({ actor, params: { id, role } }) => ok(await auth.changeRole('take', actor, id, role)),
  }),
  route({
    ...byOperator,
    method: 'get',
    path: '/internal/accounts/{id}/lock',
    params,
    responses: { 200: { description: 'When the account was locked; null if it is not locked.', body: lockOut } },
    handler: async ({ params: { id } }) => ok(await auth.lockOf(id), noStore),
  }),
  route({
    ...byOperator,
    method: 'put',
    path: '/internal/accounts/{id}/lock',
    params,
    responses: { 204: { description: 'The account is locked, and its sessions and API keys have ended.' } },
    async handler({ actor, params: { id } }) {
      await auth.setLock(actor, id, true);
      return noContent();
    },
  }),
  route({
    ...byOperator,
    method: 'delete',
    path: '/internal/accounts/{id}/lock',
    params,
    responses: { 204: { description: 'The account is unlocked.' } },
    async handler({ actor, params: { id } }) {
      await auth.setLock(actor, id, false);
      return noContent();
    },
  }),
  route({
    ...byOperator,
    method: 'get',
    path: '/internal/accounts/{id}/sessions',
    params,
    responses: { 200: { description: 'Open sessions, newest first, 100 at most.', body: shownSessionsOut } },
    async handler({ actor, params: { id } }) {
      await recordLook(actor, id, 'sessions');
      const sessions = await auth.listSessions(id);
      return ok(
        sessions.map(({ current: _, ...session }) => session),
        noStore,
      );
    },
  }),
  route({
    ...byOperator,
    method: 'delete',
    path: '/internal/accounts/{id}/sessions',
    params,
    responses: { 204: { description: 'All sessions, API keys and links in mails have ended.' } },
    async handler({ actor, params: { id } }) {
      await auth.endSessions(actor, id);
      return noContent();
    },
  }),
  route({
    ...byOperator,
    method: 'delete',
    path: '/internal/accounts/{id}/sessions/{sessionId}',
    params: params.extend({ sessionId: uuid }),
    responses: { 204: { description: 'The session has ended.' } },
    async handler({ actor, params: { id, sessionId } }) {
      await auth.endSession(actor, id, sessionId);
      return noContent();
    },
  }),
];
