import type { Logger } from '../observability/log.ts';
import { brokersFrom, type MessagingConfig, retriesFrom } from './config.ts';
import { startConsumer } from './consumer/consumer.ts';
import type { EventProcessor } from './consumer/handle-once.ts';
import { reportLag } from './consumer/lag.ts';
import { createKafka, createPublisher } from './kafka.ts';
import { startRelay } from './outbox/relay.ts';
import { orderEventsTopic } from './topics.ts';

export interface MessagingOptions {
  config: MessagingConfig & { DATABASE_URL: string };
  /** The source of its events, `/store/<clientId>`. */
  clientId: string;
  processor: EventProcessor;
  /** Whether its database has an outbox. */
  publishes: boolean;
  log: Logger;
  onCrash(sentence: string, error: unknown): void;
}

/** Something that was started, and is stopped in the opposite order. */
export interface Started {
  name: string;
  stop(): unknown;
}

/** Starts the relay, the lag metric and the consumer of a process, in this order. The database must be migrated. */
export function startMessaging(options: MessagingOptions): Started[] {
  const { config, clientId, processor, publishes, log, onCrash } = options;
  const broker = { ...brokersFrom(config), clientId, log };
  const publisher = createPublisher(broker);
  const started: Started[] = [{ name: 'publisher', stop: publisher.close }];
  if (publishes) {
    const relay = startRelay({ databaseUrl: config.DATABASE_URL, topic: orderEventsTopic, publisher, log });
    started.push({ name: 'relay', stop: relay.stop });
  }
  // A scrape that gets no answer reports nothing and need not be logged each time.
  const silent = log.child({}, { level: 'silent' });
  const lag = reportLag(createKafka({ ...broker, log: silent }), orderEventsTopic, processor.group);
  started.push({ name: 'lag', stop: lag.stop });
  const consumer = startConsumer({
    processor,
    topic: orderEventsTopic,
    kafka: createKafka(broker),
    sender: publisher,
    retry: retriesFrom(config),
    log,
    onCrash: (error) => onCrash('The consumer gave up', error),
  });
  started.push({ name: 'consumer', stop: consumer.stop });
  return started;
}
