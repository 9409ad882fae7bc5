import { credentials } from '@store/shared/contracts/account';
import { type AnyRoute, noContent, ok, problem, route, tooMany } from '@store/shared/http/route';
import type { Logger } from '@store/shared/observability/log';
import { text } from '@store/shared/values/fields';
import { z } from 'zod';
import { basePath, sessionCookieOf } from './guard.ts';
import type { Sessions } from './session.ts';

const path = '/session';
const base = { path, tag: 'session', identity: 'none' } as const;
const sharedIn = z.object({ token: z.string().max(300), name: text(1, 80) });
const hostIn = z.object({ host: z.string() });
/** Any names: that of the session's cookie depends on the port. */
const cookies = z.record(z.string(), z.unknown());
const sessionIn = (given: z.output<typeof cookies>, host: string) => {
  const session = given[sessionCookieOf(host)];
  return typeof session === 'string' ? session : undefined;
};
/** The prefix `__Host-` would require TLS, which localhost lacks, and the path `/`. */
const cookie = (host: string, value: string, seconds: number) => ({
  'Set-Cookie': `${sessionCookieOf(host)}=${value}; Path=${basePath}; HttpOnly; SameSite=Strict; Max-Age=${seconds}`,
});
const sessionOut = z.object({
  name: z.string().nullable().describe('Null if nobody is logged in.'),
  isShared: z.boolean().describe('Logged in with the shared token, under a name that is not checked.'),
});

export function sessionRoutes(sessions: Sessions, log: Logger): AnyRoute[] {
  return [
    route({
      ...base,
      method: 'get',
      operationId: 'getSession',
      summary: 'Fetch who is logged in',
      headers: hostIn,
      cookies,
      responses: { 200: { description: 'The name, or null.', body: sessionOut } },
      async handler({ headers: { host }, cookies }) {
        const { name = null, isShared = false } = (await sessions.operatorOf(sessionIn(cookies, host))) ?? {};
        return ok({ name, isShared });
      },
    }),
    route({
      ...base,
      method: 'post',
      operationId: 'logIn',
      summary: 'Log in with an account of the store, or with the shared token',
      headers: hostIn,
      body: z.union([credentials, sharedIn]),
      responses: {
        204: { description: 'The session is in the cookie.', headers: { 'Set-Cookie': 'The session.' } },
        401: problem('The password, or the token, is wrong.'),
        403: problem('The account does not have the role operator, or is locked.'),
        429: tooMany('Too many logins are failing at present.'),
      },
      async handler({ headers: { host }, body, userAgent }) {
        const by = 'token' in body ? { by: body.name } : {};
        try {
          const { session, seconds } =
            'token' in body
              ? await sessions.beginShared(body.token.trim(), body.name)
              : await sessions.begin(body, userAgent);
          log.info(by, 'An operator logged in');
          return noContent(cookie(host, session, seconds));
        } catch (error) {
          log.warn(by, 'A login was refused');
          throw error;
        }
      },
    }),
    route({
      ...base,
      method: 'delete',
      operationId: 'logOut',
      summary: 'Log out of the console and the store',
      headers: hostIn,
      cookies,
      responses: { 204: { description: 'Logged out.', headers: { 'Set-Cookie': 'An expired cookie.' } } },
      async handler({ headers: { host }, cookies }) {
        await sessions.end(sessionIn(cookies, host));
        return noContent(cookie(host, '', 0));
      },
    }),
  ];
}
