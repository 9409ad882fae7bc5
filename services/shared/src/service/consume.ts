import type { Database } from '../database/database.ts';
import { brokersFrom, retriesFrom } from '../messaging/config.ts';
import { startConsumer } from '../messaging/consumer/consumer.ts';
import { reportLag } from '../messaging/consumer/lag.ts';
import { deleteOldEventIds } from '../messaging/consumer/processed-events.ts';
import { reportOpenLetters } from '../messaging/dead-letters/metrics.ts';
import { createKafka } from '../messaging/kafkajs/client.ts';
import { createPublisher } from '../messaging/kafkajs/publisher.ts';
import { answersTo, startWatchdog } from '../messaging/kafkajs/watchdog.ts';
import { wakeDirectly } from '../messaging/outbox/append.ts';
import { laneCount, startRelay } from '../messaging/outbox/relay.ts';
import { orderEventsTopic as topic } from '../messaging/topics.ts';
import type { Logger } from '../observability/log.ts';
import { loop } from '../values/loop.ts';
import { hourMs } from '../values/time.ts';
import type { ServiceConsumer, Started } from './service.ts';

/** Starts the consumer of a process and what goes with it, in this order. The database must be migrated. */
export function consume<Tables>(
  { group, config, publishesAs, servesWithoutKafka }: ServiceConsumer<Tables>,
  { kysely: database }: Database<Tables>,
  processLog: Logger,
  onCrash: (sentence: string, error: unknown) => void,
): Started[] {
  const log = processLog.child({ group: group.name });
  const broker = { ...brokersFrom(config), clientId: publishesAs ?? group.name, log };
  // Its callers report a missing answer themselves, or need not each time, such as a scrape.
  const quiet = { ...broker, log: log.child({}, { level: 'silent' }) };
  const forgetting = loop({ name: 'processed event ids', everyMs: hourMs }, () =>
    deleteOldEventIds(database, quiet, topic),
  );
  // Connects with its first event.
  const publisher = createPublisher(broker);
  const further = Array.from({ length: publishesAs === undefined ? 0 : laneCount - 1 }, () => createPublisher(broker));
  const publishers = [publisher, ...further];
  const started: Started[] = [
    { name: forgetting.name, ...forgetting.start(processLog) },
    ...publishers.map(({ name, close }) => ({ name, stop: close })),
  ];
  if (publishesAs !== undefined) {
    const relay = startRelay({ databaseUrl: config.DATABASE_URL, topic, publishers, log });
    started.push({ name: 'relay', stop: relay.stop });
    wakeDirectly(database, relay);
  }
  reportLag(quiet, topic, group.name);
  reportOpenLetters(database, group.name);
  const consumer = startConsumer({
    group,
    database,
    topic,
    connect: (signal) => createKafka({ ...broker, signal }),
    sender: publisher,
    retry: retriesFrom(config),
    servesWithoutKafka,
    rack: broker.rack,
    log,
  });
  started.push({ name: 'consumer', stop: consumer.stop, waitingFor: consumer.waitingFor });
  const watchdog = startWatchdog({
    watched: [...publishers, consumer],
    probe: () => answersTo(quiet, topic, group.name),
    log,
    onDeaf: (name) => onCrash('The broker answers others, but not this process', new Error(`The ${name} is deaf`)),
  });
  started.push({ name: 'watchdog', stop: watchdog.stop });
  return started;
}
