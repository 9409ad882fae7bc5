import { confirmationIn, credentials, resetIn, resetRequest } from '@store/shared/contracts/account';
import { type AnyRoute, noContent, noStore, problem, route, tooMany } from '@store/shared/http/route';
import type { Auth } from './auth.ts';

const open = { tag: 'auth', identity: 'none' } as const;

/** Routes for customers who cannot log in or who follow the link in a mail (contract 3.11). */
export function resetRoutes(auth: Auth): AnyRoute[] {
  return [
    route({
      ...open,
      method: 'post',
      path: '/auth/password-resets',
      operationId: 'requestPasswordReset',
      summary: 'Request a mail with a link to reset a forgotten password',
      body: resetRequest,
      responses: {
        202: { description: 'If an account has this e-mail address, a mail is sent to it.' },
        429: tooMany('Too many requests from this client address.'),
      },
      async handler({ body, ...request }) {
        await auth.requestReset(body.email, request);
        return { status: 202 as const, headers: noStore };
      },
    }),
    route({
      ...open,
      method: 'post',
      path: '/auth/password-resets/confirmation',
      operationId: 'confirmPasswordReset',
      summary: 'Set a new password with the link in a mail, and end all your sessions',
      body: resetIn,
      responses: {
        204: { description: 'The password is set.' },
        403: problem('The link has been used, is void or has expired.'),
      },
      async handler({ body, ...request }) {
        await auth.resetPassword(body, request);
        return noContent(noStore);
      },
    }),
    route({
      ...open,
      method: 'post',
      path: '/auth/email-confirmations',
      operationId: 'confirmEmail',
      summary: 'Confirm your e-mail address, or cancel a change of it, with the link in a mail',
      body: confirmationIn,
      responses: {
        204: {
          description: 'The address is confirmed. With the link sent to the current address, the change is cancelled.',
        },
        403: problem('The link is void or has expired.'),
        409: problem('Another account has taken the e-mail address.'),
      },
      async handler({ body }) {
        await auth.confirmEmail(body.token);
        return noContent(noStore);
      },
    }),
    // The account service calls these on behalf of a customer. The gateway does not route them.
    route({
      identity: 'account',
      method: 'post',
      path: '/internal/own-password-checks',
      body: credentials,
      responses: {
        204: { description: 'The password is right.' },
        403: problem('The password is wrong.'),
        429: tooMany('Too many wrong passwords for this account.'),
      },
      async handler({ accountId, body, ...request }) {
        await auth.checkOwnPassword(body, accountId, request);
        return noContent();
      },
    }),
    route({
      identity: 'account',
      method: 'delete',
      path: '/internal/own-sessions',
      responses: {
        204: { description: 'All sessions and API keys have ended, and what is stored about them is deleted.' },
      },
      async handler({ accountId }) {
        await auth.closeSessions(accountId);
        return noContent();
      },
    }),
  ];
}
