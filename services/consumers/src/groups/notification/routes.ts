import { accountDataRoute } from '@store/shared/contracts/account-data';
import { mailOut, notificationOut, wholeMailOut } from '@store/shared/contracts/notification';
import type { RecordLook } from '@store/shared/database/audit';
import { type AnyRoute, noContent, ok, problem, route } from '@store/shared/http/route';
import { found } from '@store/shared/values/errors';
import { uuid } from '@store/shared/values/fields';
import { z } from 'zod';
import { listRoute } from '../../list-routes.ts';
import type { MailRepository } from './mail-repository.ts';
import type { NotificationRepository } from './notification-repository.ts';
import type { OpenMail } from './opened-mails.ts';
import type { Resend } from './resend.ts';
import { notificationQuery } from './schemas.ts';

export const notificationRoutes = ({ list, pageOf }: NotificationRepository, resend: Resend): AnyRoute[] => [
  route({
    method: 'put',
    path: '/internal/notifications/{id}/copies/{copyId}',
    identity: 'caller',
    params: z.object({ id: uuid, copyId: uuid }),
    responses: {
      204: {
        description:
          'The message is mailed again, within the limits of its mailbox. Repeating the request sends no further mail.',
      },
      409: problem('No mail server is set, or another message has this id.'),
    },
    async handler({ actor, params }) {
      await resend({ actor, ...params });
      return noContent();
    },
  }),
  accountDataRoute(pageOf),
  listRoute({
    path: '/notifications',
    operationId: 'listNotifications',
    summary: 'List messages to customers about their orders',
    page: 'NotificationPage',
    query: notificationQuery,
    item: notificationOut,
    identity: 'accountOrCaller',
    scope: 'orders:read',
    list,
  }),
];

/** Lets developers read mails that are not sent. A link in a mail is as good as a password. */
export function mailRoutes(repository: MailRepository, open: OpenMail, recordLook: RecordLook): AnyRoute[] {
  return [
    route({
      method: 'get',
      path: '/internal/mails',
      identity: 'caller',
      responses: { 200: { description: 'The newest mails, at most 100.', body: z.array(mailOut) } },
      handler: async () =>
        ok((await repository.newest()).map((mail) => ({ ...mail, createdAt: mail.createdAt.toISOString() }))),
    }),
    route({
      method: 'get',
      path: '/internal/mails/{id}',
      identity: 'caller',
      params: z.object({ id: uuid }),
      responses: {
        200: { description: 'The mail. Reading it for the first time creates its link.', body: wholeMailOut },
      },
      async handler({ actor, params: { id } }) {
        const mail = found(await repository.find(id), `mail ${id}`);
        await recordLook(actor, id, 'mail');
        return ok(await open(mail));
      },
    }),
  ];
}
