import { openDatabase } from '@store/shared/database/database';
import { isDatabaseUnavailable } from '@store/shared/database/errors';
import { migrate } from '@store/shared/database/migrate';
import { startEventWork } from '@store/shared/messaging/start';
import { runService } from '@store/shared/service/run-service';
import { createApp } from './app.ts';
import { createTransactions } from './change-store.ts';
import { configSchema } from './config.ts';
import { PrismaClient } from './generated/client.ts';
import { createMailRepository } from './groups/notification/mail-repository.ts';
import { startMailSender } from './groups/notification/mail-sender.ts';
import { createSmtp } from './groups/notification/smtp.ts';
import { handlersOf } from './groups.ts';
import { createPages } from './page-store.ts';

await runService('consumers', configSchema, async (context) => {
  const { config, onStop } = context;
  const { CONSUMER_GROUP: group, SMTP_URL: smtpUrl } = config;
  const log = context.log.child({ group });
  const { adapter, transact, close } = openDatabase(config.DATABASE_URL);
  const prisma = new PrismaClient({ adapter });
  onStop('database', close);

  function startMail(url: string) {
    const smtp = createSmtp({ url, from: config.SMTP_FROM, domain: config.NOTIFICATION_DOMAIN });
    onStop('mail server', () => smtp.close());
    const sender = startMailSender({ repository: createMailRepository(prisma), send: smtp.send, log });
    onStop('mail sender', () => sender.stop());
  }

  return {
    app: createApp({ group, pages: createPages(prisma), log, production: config.APP_PROFILE === 'prod' }),
    async prepare() {
      await migrate(config.DATABASE_URL, new URL('../prisma/migrations/', import.meta.url));
      if (group === 'notification-group' && smtpUrl !== undefined) startMail(smtpUrl);
      const work = {
        clientId: group,
        hasOutbox: false,
        database: prisma,
        group,
        handlers: handlersOf[group],
        transaction: createTransactions(transact, { sendsMail: smtpUrl !== undefined }),
        chunkSize: 200,
        maxWaitMs: 500,
      };
      startEventWork({ ...context, log }, work);
    },
    isTransient: isDatabaseUnavailable,
    checks: { database: () => prisma.$queryRaw`select 1` },
  };
});
