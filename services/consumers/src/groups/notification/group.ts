import { notificationOut } from '@store/shared/contracts/notification';
import type { Job } from '@store/shared/service/service';
import type { ConsumersConfig } from '../../config.ts';
import { PrismaClient } from '../../generated/client.ts';
import type { CreateGroup } from '../../group.ts';
import { listRoute } from '../../list-routes.ts';
import { createMailRepository, type MailRepository } from './mail-repository.ts';
import { startMailSender } from './mail-sender.ts';
import { notificationKinds, toNotifications } from './messages.ts';
import { createNotificationRepository, insertNotifications } from './notification-repository.ts';
import { notificationQuery } from './schemas.ts';
import { createSmtp } from './smtp.ts';

/** Writes to customers what happens to their orders, and mails it if there is a mail server (contract 4.10). */
export const createGroup: CreateGroup = ({ config, database }) => {
  const url = config.SMTP_URL;
  const { adapter, kysely, lists } = database;
  const notifications = createNotificationRepository(lists.kysely);
  return {
    title: 'Notification API',
    group: {
      kinds: notificationKinds,
      handle: (events, tx) =>
        insertNotifications(tx, events.flatMap(toNotifications), { sendsMail: url !== undefined }),
    },
    routes: [
      listRoute({
        path: '/notifications',
        operationId: 'listNotifications',
        summary: 'List messages to customers',
        page: 'NotificationPage',
        query: notificationQuery,
        item: notificationOut,
        identity: 'accountOrCaller',
        list: (query, accountId) =>
          accountId === undefined
            ? notifications.list(query)
            : lists.inTurn(accountId, () => notifications.listOwn(query, accountId)),
      }),
    ],
    jobs: url === undefined ? [] : [mailJob(url, config, createMailRepository(new PrismaClient({ adapter }), kysely))],
  };
};

const mailJob = (url: string, config: ConsumersConfig, repository: MailRepository): Job => ({
  name: 'mail sender',
  start(log) {
    const smtp = createSmtp({ url, from: config.SMTP_FROM, domain: config.NOTIFICATION_DOMAIN });
    const sender = startMailSender({ repository, send: smtp.send, log });
    return {
      async stop() {
        await sender.stop();
        smtp.close();
      },
    };
  },
});
