import { bearerOf } from '@store/shared/auth/bearer';
import {
  accountIn,
  accountOut,
  answerableOut,
  confirmedOut,
  credentials,
  rolesIn,
  rolesOut,
} from '@store/shared/contracts/account';
import { accountDataRoute } from '@store/shared/contracts/account-data';
import type { RecordLook } from '@store/shared/database/audit';
import { type AnyRoute, created, noContent, noStore, ok, problem, route, tooMany } from '@store/shared/http/route';
import { DomainError } from '@store/shared/values/errors';
import { uuid } from '@store/shared/values/fields';
import { z } from 'zod';
import type { Auth } from './auth.ts';
import { apiKeyRoutes } from './keys/api-key-routes.ts';
import type { ApiKeys } from './keys/api-keys.ts';
import { resetRoutes } from './reset-routes.ts';
import { accessRoutes } from './roles/access-routes.ts';
import type { Roles } from './roles/roles.ts';
import {
  endedOut,
  type Jwks,
  jwksOut,
  passwordChange,
  sessionsIn,
  sessionsOut,
  solveOut,
  tokenCookie,
  tokenIn,
} from './schemas.ts';
import { serviceAccountRoutes } from './service-accounts/service-account-routes.ts';
import type { ServiceAccounts } from './service-accounts/service-accounts.ts';
import { type TokenCookie, tokenCookieName } from './tokens/token-cookie.ts';

const open = { tag: 'auth', identity: 'none' } as const;
const byCustomer = { tag: 'accounts', identity: 'account' } as const;
const params = z.object({ id: uuid });

function mustBeOwn(accountId: string, id: string): void {
  if (accountId !== id) throw new DomainError('notFound', `There is no account ${id}.`);
}

interface Parts {
  auth: Auth;
  keys: ApiKeys;
  serviceAccounts: ServiceAccounts;
  roles: Pick<Roles, 'of'>;
  cookie: TokenCookie;
  jwks: Jwks;
  recordLook: RecordLook;
}

export function authRoutes({ auth, keys, serviceAccounts, roles, cookie, jwks, recordLook }: Parts): AnyRoute[] {
  return [
    route({
      ...open,
      method: 'post',
      path: '/auth/register',
      operationId: 'register',
      summary: 'Register an account',
      body: accountIn,
      responses: {
        201: { description: 'Registered.', body: accountOut, headers: { Location: 'Path of the new account.' } },
        409: problem('The e-mail address is taken.'),
      },
      async handler({ body, clientAddress }) {
        const account = await auth.register(body, clientAddress);
        return created(`/accounts/${account.id}`, account);
      },
    }),
    route({
      ...open,
      method: 'post',
      path: '/auth/login',
      operationId: 'logIn',
      summary: 'Log in and receive the token as a cookie',
      body: credentials,
      responses: {
        200: { description: 'Logged in.', body: accountOut, headers: { 'Set-Cookie': 'The token.' } },
        401: problem('The e-mail address or the password is wrong.'),
        403: problem('The account is locked.'),
        429: tooMany('Too many logins with this e-mail address have failed.'),
      },
      async handler({ body, isHttps, ...request }) {
        const { account, token } = await auth.login(body, request);
        return ok(account, { ...noStore, 'Set-Cookie': cookie.withToken(token, isHttps) });
      },
    }),
    ...resetRoutes(auth),
    ...apiKeyRoutes(auth, keys, recordLook),
    ...serviceAccountRoutes({ auth, accounts: serviceAccounts, roles }),
    route({
      ...open,
      method: 'get',
      path: '/auth/logout',
      operationId: 'logOut',
      summary: 'Log out: end the session, if there is one, and clear the cookie',
      cookies: tokenCookie,
      responses: {
        200: { description: 'Logged out.', headers: { 'Set-Cookie': 'Clears the token.' } },
      },
      async handler({ cookies, isHttps }) {
        await auth.logout(cookies[tokenCookieName]);
        return ok(undefined, { ...noStore, 'Set-Cookie': cookie.cleared(isHttps) });
      },
    }),
    route({
      method: 'delete',
      path: '/auth/sessions',
      operationId: 'endSessions',
      summary:
        "Log out everywhere: end all of the caller's sessions, API keys and links in mails, and clear the cookie",
      tag: 'auth',
      identity: 'account',
      responses: {
        204: { description: 'All sessions and API keys have ended.', headers: { 'Set-Cookie': 'Clears the token.' } },
      },
      async handler({ actor, accountId, isHttps }) {
        await auth.endSessions(actor, accountId);
        return noContent({ ...noStore, 'Set-Cookie': cookie.cleared(isHttps) });
      },
    }),
    route({
      ...open,
      method: 'post',
      path: '/auth/solve',
      operationId: 'resolveToken',
      summary: 'Resolve a token to the id of its account',
      body: tokenIn,
      responses: {
        200: { description: 'The token is valid.', body: solveOut },
        401: problem('The token is invalid, has expired, or its session has ended.'),
      },
      handler: async ({ body }) => ok({ idAccount: await auth.solve(body.token) }, noStore),
    }),
    route({
      ...byCustomer,
      method: 'put',
      path: '/accounts/{id}/roles',
      operationId: 'setRoles',
      summary: 'Set the roles of an account, as an operator',
      role: 'operator',
      params,
      body: rolesIn,
      responses: { 200: { description: 'The current roles of the account.', body: rolesOut } },
      handler: async ({ actor, params: { id }, body }) => ok(await auth.setRoles(actor, id, body.roles)),
    }),
    route({
      ...byCustomer,
      method: 'put',
      path: '/accounts/{id}/password',
      operationId: 'changePassword',
      summary: 'Change your password and end your other sessions and all API keys',
      params,
      body: passwordChange,
      responses: {
        204: { description: 'Changed.', headers: { 'Set-Cookie': 'The token of a new session.' } },
        403: problem('The current password is wrong, or the account is locked.'),
        429: tooMany('Too many wrong passwords for this account.'),
      },
      async handler({ accountId, params: { id }, body, isHttps, ...request }) {
        mustBeOwn(accountId, id);
        const token = await auth.changePassword(id, body, request);
        return noContent({ ...noStore, 'Set-Cookie': cookie.withToken(token, isHttps) });
      },
    }),
    route({
      ...byCustomer,
      method: 'get',
      path: '/accounts/{id}/sessions',
      operationId: 'listSessions',
      summary: 'List your sessions',
      params,
      responses: { 200: { description: 'Open sessions, newest first, 100 at most.', body: sessionsOut } },
      async handler({ accountId, params: { id }, authorization }) {
        mustBeOwn(accountId, id);
        return ok(await auth.listSessions(id, bearerOf(authorization)), noStore);
      },
    }),
    route({
      ...byCustomer,
      method: 'delete',
      path: '/accounts/{id}/sessions/{sessionId}',
      operationId: 'endSession',
      summary: 'End one of your sessions',
      params: params.extend({ sessionId: uuid }),
      responses: { 204: { description: 'The session has ended.' } },
      async handler({ actor, accountId, params: { id, sessionId } }) {
        mustBeOwn(accountId, id);
        await auth.endSession(actor, id, sessionId);
        return noContent();
      },
    }),
    ...accessRoutes(auth, recordLook),
    route({
      identity: 'caller',
      method: 'get',
      path: '/internal/accounts/{id}/confirmation',
      params,
      responses: { 200: { description: "Whether the account's e-mail address is confirmed.", body: confirmedOut } },
      handler: async ({ params: { id } }) => ok({ isConfirmed: await auth.isConfirmed(id) }),
    }),
    route({
      identity: 'mailer',
      method: 'get',
      path: '/internal/accounts/{id}/answerable-operator',
      params,
      responses: {
        200: {
          description: 'The account, or the one that made the service account, if it is still an operator.',
          body: answerableOut,
        },
      },
      handler: async ({ params: { id } }) => ok({ operatorId: (await auth.answerableOperator(id)) ?? null }),
    }),
    route({
      identity: 'caller',
      method: 'post',
      path: '/internal/session-checks',
      body: sessionsIn,
      bodyKib: 64,
      responses: { 200: { description: 'The ids of the given sessions that have ended.', body: endedOut } },
      handler: ({ body }) => ok({ ended: auth.endedOf(body.sessions) }),
    }),
    accountDataRoute(async (accountId) => ({ rows: [{ json: JSON.stringify(await auth.dataOf(accountId)) }] })),
    // Services that validate tokens themselves fetch the keys here.
    route({
      identity: 'none',
      method: 'get',
      path: '/.well-known/jwks.json',
      standsAlone: true,
      responses: { 200: { description: 'A JWK Set; empty while a shared secret signs tokens.', body: jwksOut } },
      handler: () => ok(jwks),
    }),
  ];
}
