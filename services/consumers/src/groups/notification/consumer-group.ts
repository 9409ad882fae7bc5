import { lookRecorder } from '@store/shared/database/audit';
import type { NewEvent } from '@store/shared/messaging/consumer/group';
import type { AccountEvent } from '@store/shared/messaging/events';
import { loop } from '@store/shared/values/loop';
import { hourMs } from '@store/shared/values/time';
import type { CreateGroup } from '../../group.ts';
import { createAccountClient } from './account-client.ts';
import { createAuthClient } from './auth-client.ts';
import { tellOfEndedWebhooks } from './ended-webhook-repository.ts';
import { createMailRepository } from './mail-repository.ts';
import { mailSender } from './mail-sender.ts';
import { mailMaker } from './mails/mail.ts';
import { type AccountKind, accountKinds, lastKind, type OrderKind, orderKinds } from './mails/words.ts';
import { isSilent, toNotification } from './messages.ts';
import { createNotificationRepository, deleteNotifications, insertNotifications } from './notification-repository.ts';
import { mailOpener } from './opened-mails.ts';
import { createOrderClient } from './order-client.ts';
import { resendWith } from './resend.ts';
import { mailRoutes, notificationRoutes } from './routes.ts';
import { createSmtpClient } from './smtp-client.ts';

/** Writes messages to customers about their orders and accounts, and mails them if there is a mail server (contract 4.10). */
export const createGroup: CreateGroup = ({ config, database }) => {
  const { SMTP_URL: url, MAIL_FROM: from, MAILS_PER_HOUR } = config;
  const sendsMail = url !== undefined;
  const mails = createMailRepository(database);
  const accounts = createAccountClient({ baseUrl: config.ACCOUNT_URL ?? '', credential: config.INTERNAL_CREDENTIAL });
  const { AUTH_URL: authUrl, ORDER_URL: orderUrl } = config;
  const operatorOf =
    authUrl === undefined
      ? async (accountId: string) => accountId
      : createAuthClient({ baseUrl: authUrl, credential: config.INTERNAL_CREDENTIAL });
  const orders =
    orderUrl === undefined
      ? undefined
      : createOrderClient({ baseUrl: orderUrl, credential: config.INTERNAL_CREDENTIAL });
  const make = mailMaker({ accounts, orders, shopUrl: config.SHOP_URL });
  return {
    title: 'Notification API',
    group: {
      kinds: orderKinds,
      async handle(events: NewEvent<unknown, OrderKind>[], tx) {
        const notifications = events.flatMap(({ event }) => (isSilent(event) ? [] : toNotification(event)));
        insertNotifications(tx, notifications, { sendsMail });
      },
      accounts: {
        kinds: [...accountKinds, lastKind],
        async handle(events: AccountEvent<AccountKind | typeof lastKind>[], tx) {
          const notifications = events.flatMap((event) => (event.kind === lastKind ? [] : toNotification(event)));
          insertNotifications(tx, notifications, { sendsMail });
          const deleted = events.flatMap(({ kind, payload }) => (kind === lastKind ? payload.accountId : []));
          if (deleted.length > 0) deleteNotifications(tx, deleted);
        },
      },
    },
    routes: [
      ...notificationRoutes(createNotificationRepository(database.lists, sendsMail), resendWith(database, sendsMail)),
      ...(sendsMail || config.APP_PROFILE === 'prod'
        ? []
        : mailRoutes(mails, mailOpener(make), lookRecorder(database))),
    ],
    jobs: [
      {
        start: (log) =>
          loop({ name: 'ended webhooks', everyMs: 5_000 }, () =>
            tellOfEndedWebhooks(database, { operatorOf, sendsMail, log }),
          ).start(log),
      },
      ...(sendsMail
        ? [
            mailSender({
              database,
              repository: mails,
              make,
              smtp: createSmtpClient({ url, from }),
              maxAboutOrders: MAILS_PER_HOUR,
            }),
            loop({ name: 'mails of the last hour', everyMs: hourMs }, mails.deleteOldCounts),
          ]
        : []),
    ],
  };
};
