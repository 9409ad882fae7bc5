import type { Database } from '../database/database.ts';
import { brokersFrom, retriesFrom } from '../messaging/config.ts';
import { startConsumer } from '../messaging/consumer/consumer.ts';
import { topicsOf } from '../messaging/consumer/group.ts';
import { reportLag } from '../messaging/consumer/lag.ts';
import { deleteOldEventIds } from '../messaging/consumer/processed-events.ts';
import { reportOpenLetters } from '../messaging/dead-letters/records.ts';
import { probe } from '../messaging/kafka/admin.ts';
import { createKafka, type KafkaOptions } from '../messaging/kafka/client.ts';
import { createPublisher } from '../messaging/kafka/publisher.ts';
import { startWatchdog, type Watched } from '../messaging/kafka/watchdog.ts';
import { outboxChannel } from '../messaging/outbox/append.ts';
import { laneCount, startRelay } from '../messaging/outbox/relay.ts';
import { deleteSent } from '../messaging/outbox/statements.ts';
import { orderEventsTopic } from '../messaging/topics.ts';
import type { Logger } from '../observability/log.ts';
import { loop } from '../values/loop.ts';
import { hourMs } from '../values/time.ts';
import { auditCleanUp } from './audit.ts';
import type { ServiceConsumer, ServicePublisher, Started } from './service.ts';

type OnCrash = (sentence: string, error: unknown) => void;

/** Starts the consumer of a process, after its clean-up jobs, publishers and relay. The database must be migrated. */
export function consume<Client>(
  { group, config, publishesAs, servesWithoutKafka }: ServiceConsumer<Client>,
  database: Database<Client>,
  processLog: Logger,
  onCrash: OnCrash,
): Started[] {
  const log = processLog.child({ group: group.name });
  const broker = { ...brokersFrom(config), clientId: publishesAs ?? group.name, log };
  const unloggedBroker = withoutLog(broker);
  const topics = topicsOf(group);
  const publishers = publishersOf(broker, publishesAs === undefined ? 1 : laneCount);
  const [publisher] = publishers;
  const deleteOldIds = () => deleteOldEventIds(database, unloggedBroker, topics);
  const started: Started[] = [
    loop({ name: 'processed event ids', everyMs: hourMs }, deleteOldIds).start(processLog),
    auditCleanUp(database).start(processLog),
    ...publishers.map(({ name, close }) => ({ name, stop: close })),
  ];
  if (publishesAs !== undefined) {
    started.push(...relayOf(orderEventsTopic, publishers, { databaseUrl: config.DATABASE_URL, database, log }));
  }
  started.push(reportLag(unloggedBroker, topics, group.name));
  reportOpenLetters(database, group.name);
  const consumer = startConsumer({
    group,
    database,
    connect: (signal) => createKafka({ ...broker, signal }),
    sender: publisher,
    retry: retriesFrom(config),
    servesWithoutKafka,
    rack: broker.rack,
    log,
  });
  const [topic = orderEventsTopic] = topics;
  const ask = () => probe(unloggedBroker, topic, group.name);
  return [...started, consumer, watchdogOf([...publishers, consumer], ask, log, onCrash)];
}

/** Starts publishing the outbox of a process that has no consumer. The database must be migrated. */
export function publish<Client>(
  { topic, config, publishesAs }: ServicePublisher,
  database: Database<Client>,
  log: Logger,
  onCrash: OnCrash,
): Started[] {
  const broker = { ...brokersFrom(config), clientId: publishesAs, log };
  const publishers = publishersOf(broker, laneCount);
  return [
    ...publishers.map(({ name, close }) => ({ name, stop: close })),
    ...relayOf(topic, publishers, { databaseUrl: config.DATABASE_URL, database, log }),
    watchdogOf(publishers, () => probe(withoutLog(broker), topic), log, onCrash),
  ];
}

type Publisher = ReturnType<typeof createPublisher>;

/** Makes clients that connect with their first event. */
const publishersOf = (broker: KafkaOptions, count: number) =>
  Array.from({ length: count }, () => createPublisher(broker)) as [Publisher, ...Publisher[]];

/** For callers that report failures themselves, or need not report each one, such as a scrape of metrics. */
const withoutLog = (broker: KafkaOptions): KafkaOptions => ({
  ...broker,
  log: broker.log.child({}, { level: 'silent' }),
});

function relayOf<Client>(
  topic: string,
  publishers: Publisher[],
  { databaseUrl, database, log }: { databaseUrl: string; database: Database<Client>; log: Logger },
): Started[] {
  const relay = startRelay({ databaseUrl, topic, publishers, log });
  database.notifier.wakeDirectly(outboxChannel, relay.wake);
  const cleanUp = loop({ name: 'published events', everyMs: hourMs }, () => deleteSent(database));
  return [cleanUp.start(log), { name: 'relay', stop: relay.stop }];
}

function watchdogOf(watched: Watched[], ask: () => Promise<unknown>, log: Logger, onCrash: OnCrash): Started {
  const onUnanswered = (name: string) =>
    onCrash('The broker answers others, but not this process', new Error(`The broker does not answer the ${name}`));
  return { name: 'watchdog', stop: startWatchdog({ watched, probe: ask, log, onUnanswered }).stop };
}
