import { openDatabase } from '@store/shared/database/database';
import { runDeadLetters } from '@store/shared/messaging/dead-letters/command';
import { brokersFrom } from '@store/shared/service/config';
import { workerConfigSchema } from './config.ts';
import { createSaga } from './saga.ts';
import { createSagaRepository } from './saga-repository.ts';

/** The dead letters of the order worker. */
process.exitCode = await runDeadLetters(workerConfigSchema, (config) => {
  const { transact, close } = openDatabase(config.DATABASE_URL, 2);
  const { transaction } = createSagaRepository(transact);
  return {
    consumerGroup: { group: 'order-group', handlers: createSaga(() => new Date()), transaction },
    brokers: brokersFrom(config),
    close,
  };
});
