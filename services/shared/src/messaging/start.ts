import type { Logger } from '../observability/log.ts';
import { brokersFrom, type MessagingConfig, retriesFrom } from './config.ts';
import { startConsumer } from './consumer/consumer.ts';
import type { EventProcessor } from './consumer/handle-once.ts';
import { reportLag } from './consumer/lag.ts';
import { createKafka } from './kafkajs/client.ts';
import { createPublisher } from './kafkajs/publisher.ts';
import { answersTo, startWatchdog } from './kafkajs/watchdog.ts';
import { wakeDirectly } from './outbox/append.ts';
import { startRelay } from './outbox/relay.ts';
import { orderEventsTopic } from './topics.ts';

export interface MessagingOptions {
  config: MessagingConfig & { DATABASE_URL: string };
  /** The source of its events, `/store/<clientId>`. */
  clientId: string;
  processor: EventProcessor;
  /** True if its database has an outbox. */
  publishes: boolean;
  servesWithoutKafka?: boolean;
  log: Logger;
  onCrash(sentence: string, error: unknown): void;
}

/** Something that was started, and is stopped in the opposite order. */
export interface Started {
  name: string;
  /** Names what it still needs for the process to be ready, if anything. */
  waitingFor?(): string | undefined;
  stop(): unknown;
}

/** Starts the relay, the lag metric and the consumer of a process, in this order. The database must be migrated. */
export function startMessaging(options: MessagingOptions): Started[] {
  const { config, clientId, processor, publishes, servesWithoutKafka, log, onCrash } = options;
  const broker = { ...brokersFrom(config), clientId, log };
  const publisher = createPublisher(broker);
  const started: Started[] = [{ name: 'publisher', stop: publisher.close }];
  if (publishes) {
    const relay = startRelay({ databaseUrl: config.DATABASE_URL, topic: orderEventsTopic, publisher, log });
    started.push({ name: 'relay', stop: relay.stop });
    wakeDirectly(processor.database, relay);
  }
  // A scrape that gets no answer reports nothing and need not be logged each time.
  const silent = log.child({}, { level: 'silent' });
  reportLag({ ...broker, log: silent }, orderEventsTopic, processor.group);
  const consumer = startConsumer({
    processor,
    topic: orderEventsTopic,
    connect: (signal) => createKafka({ ...broker, signal }),
    sender: publisher,
    retry: retriesFrom(config),
    servesWithoutKafka,
    log,
  });
  started.push({ name: 'consumer', stop: consumer.stop, waitingFor: consumer.waitingFor });
  const watchdog = startWatchdog({
    watched: [publisher, consumer],
    probe: () => answersTo({ ...broker, log: silent }, orderEventsTopic, processor.group),
    log,
    onDeaf: (name) => onCrash('The broker answers others, but not this process', new Error(`The ${name} is deaf`)),
  });
  started.push({ name: 'watchdog', stop: watchdog.stop });
  return started;
}
