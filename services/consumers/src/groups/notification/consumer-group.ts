import { notificationOut } from '@store/shared/contracts/notification';
import type { Job } from '@store/shared/service/service';
import type { ConsumersConfig } from '../../config.ts';
import { PrismaClient } from '../../generated/client.ts';
import type { CreateGroup } from '../../group.ts';
import { listRoute } from '../../list-routes.ts';
import { createAccountClient } from './account-client.ts';
import { createMailRepository, type MailRepository } from './mail-repository.ts';
import { mailRoutes } from './mail-routes.ts';
import { startMailSender } from './mail-sender.ts';
import { type MakeMail, mailMaker } from './mails/mails.ts';
import { accountKinds, lastKind, orderKinds } from './mails/words.ts';
import { toNotification } from './messages.ts';
import { createNotificationRepository, deleteNotifications, insertNotifications } from './notification-repository.ts';
import { notificationQuery } from './schemas.ts';
import { createSmtp } from './smtp.ts';

/** Writes to customers what happens to their orders and accounts, and mails it if there is a mail server (contract 4.10). */
export const createGroup: CreateGroup = ({ config, database }) => {
  const url = config.SMTP_URL;
  const sendsMail = url !== undefined;
  const { adapter, kysely, lists } = database;
  const notifications = createNotificationRepository(lists.kysely);
  const mails = createMailRepository(new PrismaClient({ adapter }), kysely);
  const accounts = createAccountClient({ baseUrl: config.ACCOUNT_URL ?? '', credential: config.INTERNAL_CREDENTIAL });
  const make = mailMaker({ accounts, shopUrl: config.SHOP_URL });
  return {
    title: 'Notification API',
    group: {
      kinds: orderKinds,
      handle: (events, tx) =>
        insertNotifications(
          tx,
          events.flatMap(({ event }) => toNotification(event)),
          { sendsMail },
        ),
      accounts: {
        kinds: [...accountKinds, lastKind],
        async handle(events, tx) {
          await insertNotifications(tx, events.flatMap(toNotification), { sendsMail });
          const deleted = events.flatMap(({ kind, payload }) => (kind === lastKind ? payload.accountId : []));
          if (deleted.length > 0) await deleteNotifications(tx, deleted);
        },
      },
    },
    routes: [
      listRoute({
        path: '/notifications',
        operationId: 'listNotifications',
        summary: 'List messages to customers about their orders',
        page: 'NotificationPage',
        query: notificationQuery,
        item: notificationOut,
        identity: 'accountOrCaller',
        list: (query, accountId) =>
          accountId === undefined
            ? notifications.list(query)
            : lists.inTurn(accountId, () => notifications.listOwn(query, accountId)),
      }),
      ...(sendsMail || config.APP_PROFILE === 'prod' ? [] : mailRoutes(mails, make)),
    ],
    jobs: url === undefined ? [] : [mailJob(url, config, mails, make)],
  };
};

const mailJob = (url: string, config: ConsumersConfig, repository: MailRepository, make: MakeMail): Job => ({
  name: 'mail sender',
  start(log) {
    const smtp = createSmtp({ url, from: config.MAIL_FROM });
    const sender = startMailSender({ repository, make, send: smtp.send, log });
    return {
      async stop() {
        await sender.stop();
        smtp.close();
      },
    };
  },
});
