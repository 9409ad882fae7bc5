import { type AnyRoute, away, created, ok, problem, route } from '@store/shared/http/route';
import type { Auth } from './auth.ts';
import { accountIn, accountOut, credentials, solveOut, tokenIn } from './schemas.ts';
import type { TokenCookie } from './token-cookie.ts';

const tag = 'auth';
const noStore = { 'Cache-Control': 'no-store' };

export function authRoutes(auth: Auth, cookie: TokenCookie): AnyRoute[] {
  return [
    route({
      method: 'post',
      path: '/auth/register',
      summary: 'Register an account',
      tag,
      identity: 'none',
      body: accountIn,
      responses: {
        201: { description: 'Registered.', body: accountOut, headers: { Location: 'Path of the new account.' } },
        409: problem('The e-mail address is taken.'),
        503: away,
      },
      async handler({ body }) {
        const account = await auth.register(body);
        return created(`/accounts/${account.id}`, account);
      },
    }),
    route({
      method: 'post',
      path: '/auth/login',
      summary: 'Log in: a token in a cookie',
      tag,
      identity: 'none',
      body: credentials,
      responses: {
        200: { description: 'Logged in.', body: accountOut, headers: { 'Set-Cookie': 'The token.' } },
        401: problem('No account has this e-mail address and this password.'),
        503: away,
      },
      async handler({ body }) {
        const { account, token } = await auth.login(body);
        return ok(account, { ...noStore, 'Set-Cookie': cookie.carrying(token) });
      },
    }),
    route({
      method: 'get',
      path: '/auth/logout',
      summary: 'Log out: the cookie is cleared, whether there is one or not',
      tag,
      identity: 'none',
      responses: { 200: { description: 'Logged out.', headers: { 'Set-Cookie': 'No token.' } } },
      handler: () => ok(undefined, { ...noStore, 'Set-Cookie': cookie.cleared }),
    }),
    route({
      method: 'post',
      path: '/auth/solve',
      summary: 'Resolve a token to the id of its account',
      tag,
      identity: 'none',
      body: tokenIn,
      responses: {
        200: { description: 'The token is valid.', body: solveOut },
        401: problem('The token is not valid, or no longer.'),
      },
      handler: async ({ body }) => ok({ idAccount: await auth.solve(body.token) }, noStore),
    }),
  ];
}
