import {
  confirmationIn,
  confirmedOut,
  mailTo,
  mailToIn,
  type PasswordRules,
  resetInBy,
  resetOut,
  resetRequest,
} from '@store/shared/contracts/account';
import { type AnyRoute, noContent, ok, problem, route, tooMany } from '@store/shared/http/route';
import { uuid } from '@store/shared/values/fields';
import { z } from 'zod';
import type { MailRequests } from './mail-requests.ts';

const params = z.object({ id: uuid });

/** Routes for auth and for the service that sends mails (contract 3.11). The gateway does not route them. */
export function mailRequestRoutes(mails: MailRequests, rules: PasswordRules): AnyRoute[] {
  return [
    route({
      identity: 'caller',
      method: 'post',
      path: '/internal/password-resets',
      body: resetRequest,
      responses: {
        202: { description: 'If an account has the address, a mail is sent to it.' },
        429: tooMany('Too many requests from this client address.'),
      },
      async handler({ body, clientAddress }) {
        await mails.requestReset(body.email, clientAddress);
        return { status: 202 as const };
      },
    }),
    route({
      identity: 'caller',
      method: 'post',
      path: '/internal/password-resets/confirmation',
      body: resetInBy(rules),
      responses: {
        200: { description: 'The account that the link belongs to.', body: resetOut },
        403: problem('The token is not valid.'),
      },
      handler: async ({ body, clientAddress }) => ok(await mails.reset(body.token, body.password, clientAddress)),
    }),
    route({
      identity: 'caller',
      method: 'post',
      path: '/internal/email-confirmations',
      body: confirmationIn,
      responses: {
        204: { description: 'Depending on the token, the address is confirmed or the change cancelled.' },
        403: problem('The token is not valid.'),
        409: problem('Another account has taken the e-mail address.'),
      },
      async handler({ body }) {
        await mails.confirmEmail(body.token);
        return noContent();
      },
    }),
    route({
      identity: 'caller',
      method: 'delete',
      path: '/internal/accounts/{id}/mail-requests',
      params,
      responses: { 204: { description: 'The links in all mails to the account are void.' } },
      async handler({ params: { id } }) {
        await mails.endAll(id);
        return noContent();
      },
    }),
    route({
      identity: 'caller',
      method: 'get',
      path: '/internal/accounts/{id}/confirmation',
      params,
      responses: { 200: { description: "Whether the account's e-mail address is confirmed.", body: confirmedOut } },
      handler: async ({ params: { id } }) => ok({ isConfirmed: await mails.isConfirmed(id) }),
    }),
    route({
      identity: 'mailer',
      method: 'post',
      path: '/internal/accounts/{id}/mail',
      params,
      body: mailToIn,
      responses: {
        200: {
          description:
            'Address and language, the name if the address is confirmed, a new token if the mail has a link.',
          body: mailTo,
        },
      },
      handler: async ({ params: { id }, body }) => ok(await mails.mailTo(id, body.requestId, body.isFormer)),
    }),
  ];
}
