import type { Database } from '../database/database.ts';
import { brokersFrom } from '../messaging/config.ts';
import { createEventProcessor } from '../messaging/consumer/handle-once.ts';
import { deleteOldEventIds } from '../messaging/consumer/processed-events.ts';
import { type Started, startMessaging } from '../messaging/start.ts';
import { orderEventsTopic } from '../messaging/topics.ts';
import type { Logger } from '../observability/log.ts';
import { loop } from '../values/loop.ts';
import { hourMs } from '../values/time.ts';
import type { ServiceConsumer } from './service.ts';

/** Starts the consumer of a process, and what goes with it. */
export function startConsuming<Tables>(
  { group, config, publishesAs, servesWithoutKafka }: ServiceConsumer<Tables>,
  database: Database<Tables>,
  log: Logger,
  onCrash: (sentence: string, error: unknown) => void,
): Started[] {
  const silent = log.child({}, { level: 'silent' }); // the job says itself that it failed
  const broker = { ...brokersFrom(config), clientId: group.name, log: silent };
  const forgetting = loop({ name: 'processed event ids', everyMs: hourMs }, () =>
    deleteOldEventIds(database.kysely, broker, orderEventsTopic),
  );
  return [
    { name: forgetting.name, ...forgetting.start(log) },
    ...startMessaging({
      config,
      processor: createEventProcessor(group, database.kysely),
      clientId: publishesAs ?? group.name,
      publishes: publishesAs !== undefined,
      servesWithoutKafka,
      log: log.child({ group: group.name }),
      onCrash,
    }),
  ];
}
