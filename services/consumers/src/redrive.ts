import { openDatabase } from '@store/shared/database/database';
import { runDeadLetters } from '@store/shared/messaging/dead-letters/command';
import { brokersFrom } from '@store/shared/service/config';
import { createTransactions } from './change-store.ts';
import { configSchema } from './config.ts';
import { handlersOf } from './groups.ts';

process.exitCode = await runDeadLetters(configSchema, (config) => {
  const { CONSUMER_GROUP: group, DATABASE_URL, SMTP_URL } = config;
  const { transact, close } = openDatabase(DATABASE_URL, 2);
  const transaction = createTransactions(transact, { sendsMail: SMTP_URL !== undefined });
  return {
    consumerGroup: { group, handlers: handlersOf[group], transaction },
    brokers: brokersFrom(config),
    close,
  };
});
