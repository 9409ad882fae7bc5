import { retryOptions } from '@store/shared/config';
import { startConsumer } from '@store/shared/consume';
import { createAdapter, isDatabaseAway } from '@store/shared/database';
import { orderEventsTopic } from '@store/shared/events';
import { createKafka, createPublisher } from '@store/shared/kafka';
import { migrate } from '@store/shared/migrate';
import { runService } from '@store/shared/process';
import { everyHour, forgetProcessed } from '@store/shared/processed-events';
import { createApp } from './app.ts';
import { createTransactions } from './change-store.ts';
import { configSchema } from './config.ts';
import { PrismaClient } from './generated/client.ts';
import { handlersOf } from './groups.ts';
import { startMailSender } from './mail-sender.ts';
import { createMailStore } from './mail-store.ts';
import { createPages } from './page-store.ts';
import { createSmtp } from './smtp.ts';

await runService('consumers', configSchema, async ({ config, log: plainLog, onStop }) => {
  const { CONSUMER_GROUP: group, SMTP_URL: smtpUrl } = config;
  const log = plainLog.child({ group });
  const prisma = new PrismaClient({ adapter: createAdapter(config.DATABASE_URL) });
  onStop('database', () => prisma.$disconnect());
  const broker = { brokers: config.KAFKA_BROKERS, clientId: group, log };
  const publisher = createPublisher(broker);
  onStop('publisher', () => publisher.close());

  function startWork() {
    onStop(
      'housekeeping',
      everyHour('Forgetting old event ids', () => forgetProcessed(prisma), log),
    );
    if (group === 'notification-group' && smtpUrl !== undefined) {
      const smtp = createSmtp({ url: smtpUrl, from: config.SMTP_FROM, domain: config.NOTIFICATION_DOMAIN });
      onStop('mail server', () => smtp.close());
      const sender = startMailSender({ store: createMailStore(prisma), send: smtp.send, log });
      onStop('mail sender', () => sender.stop());
    }
    const consumer = startConsumer({
      group,
      handlers: handlersOf[group],
      transaction: createTransactions(prisma, { sendsMail: smtpUrl !== undefined }),
      kafka: createKafka(broker),
      topic: orderEventsTopic,
      sender: publisher,
      retry: retryOptions(config),
      chunkSize: 200,
      log,
      onCrash(error) {
        log.fatal({ err: error }, 'The consumer has given up');
        process.exit(1);
      },
    });
    onStop('consumer', () => consumer.stop());
  }

  return {
    app: createApp({ group, pages: createPages(prisma), log, production: config.APP_PROFILE === 'prod' }),
    async prepare() {
      await migrate(config.DATABASE_URL, new URL('../prisma/migrations/', import.meta.url));
      startWork();
    },
    isPassing: isDatabaseAway,
    checks: { database: () => prisma.$queryRaw`select 1` },
  };
});
