import { randomUUID } from 'node:crypto';
import { openDatabase } from '@store/shared/database/database';
import { runDeadLetters } from '@store/shared/messaging/dead-letters/command';
import { brokersFrom } from '@store/shared/service/config';
import { createBuiltInProvider } from './built-in-provider.ts';
import { configSchema } from './config.ts';
import { createPaymentRepository } from './payment-repository.ts';
import { createPayments } from './payments.ts';

/** The dead letters of payment. */
process.exitCode = await runDeadLetters(configSchema, (config) => {
  const { close, ...database } = openDatabase(config.DATABASE_URL, 2);
  const repository = createPaymentRepository(database);
  const provider = createBuiltInProvider(config.PAYMENT_DECLINE_ABOVE);
  const payments = createPayments({ repository, provider, clock: () => new Date(), newId: randomUUID });
  return {
    consumerGroup: { ...payments, group: 'payment-group', transaction: repository.transaction },
    brokers: brokersFrom(config),
    close,
  };
});
