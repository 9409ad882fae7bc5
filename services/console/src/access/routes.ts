import { type AnyRoute, noContent, ok, problem, route, tooMany } from '@store/shared/http/route';
import type { Logger } from '@store/shared/observability/log';
import { text } from '@store/shared/values/fields';
import { z } from 'zod';
import { basePath, operatorHeader, sessionCookieOf } from './guard.ts';
import { type Sessions, sessionSeconds } from './session.ts';

const path = '/session';
const base = { path, tag: 'session', identity: 'none', standsAlone: true } as const;
const loginIn = z.object({ token: z.string().max(300), name: text(1, 80) });
const hostIn = z.object({ host: z.string() });
/** `__Host-` would need TLS, which localhost has not, and the path of all. */
const cookie = (host: string, value: string, seconds: number) => ({
  'Set-Cookie': `${sessionCookieOf(host)}=${value}; Path=${basePath}; HttpOnly; SameSite=Strict; Max-Age=${seconds}`,
});

export function sessionRoutes(sessions: Sessions, log: Logger): AnyRoute[] {
  return [
    route({
      ...base,
      method: 'get',
      operationId: 'getSession',
      summary: 'Fetch who is logged in',
      headers: z.object({ [operatorHeader]: z.string().optional() }),
      responses: { 200: { description: 'The name, or null.', body: z.object({ name: z.string().nullable() }) } },
      handler: ({ headers }) => ok({ name: headers[operatorHeader] ?? null }),
    }),
    route({
      ...base,
      method: 'post',
      operationId: 'logIn',
      summary: 'Log in with the token',
      headers: hostIn,
      body: loginIn,
      responses: {
        204: { description: 'The session is in the cookie.', headers: { 'Set-Cookie': 'The session.' } },
        401: problem('The token is wrong.'),
        429: tooMany('Too many logins fail at present.'),
      },
      async handler({ headers: { host }, body: { token, name } }) {
        try {
          const session = await sessions.begin(token.trim(), name);
          log.info({ by: name }, 'Somebody has logged in');
          return noContent(cookie(host, session, sessionSeconds));
        } catch (error) {
          log.warn({ by: name }, 'A login was refused');
          throw error;
        }
      },
    }),
    route({
      ...base,
      method: 'delete',
      operationId: 'logOut',
      summary: 'Log out',
      headers: hostIn,
      responses: { 204: { description: 'The cookie is gone.', headers: { 'Set-Cookie': 'None any more.' } } },
      handler: ({ headers: { host } }) => noContent(cookie(host, '', 0)),
    }),
  ];
}
