import type { z } from 'zod';
import { brokersFrom, type consumerConfig, retryOptions } from '../service/config.ts';
import type { ServiceContext } from '../service/run-service.ts';
import { type ConsumerOptions, startConsumer } from './consumer/consumer.ts';
import type { HandlerTransaction } from './consumer/handle-once.ts';
import { reportLag } from './consumer/lag.ts';
import { deleteOldEventIds, everyHour, type ProcessedEvents } from './consumer/processed-events.ts';
import { orderEventsTopic } from './events.ts';
import { createKafka, createPublisher } from './kafka.ts';
import { startRelay } from './outbox/relay.ts';

type EventConfig = z.output<z.ZodObject<typeof consumerConfig>> & { DATABASE_URL: string };

export interface EventWork<Tx extends HandlerTransaction, Prepared>
  extends Pick<
    ConsumerOptions<Tx, Prepared>,
    'group' | 'handlers' | 'prepare' | 'transaction' | 'chunkSize' | 'maxWaitMs'
  > {
  /** Names the service as the source of its events. */
  clientId: string;
  /** Whether its database has an outbox to be published. */
  hasOutbox: boolean;
  database: ProcessedEvents;
}

/**
 * Starts what a service that lives on `order-events` does by itself, once its tables are there: publish its outbox,
 * handle the events of its group, forget old event ids. When the process ends, it is all stopped in the opposite order.
 */
export function startEventWork<Tx extends HandlerTransaction, Prepared = void>(
  { config, log, onStop, crash }: ServiceContext<EventConfig>,
  { clientId, hasOutbox, database, ...consumerGroup }: EventWork<Tx, Prepared>,
): void {
  const broker = { ...brokersFrom(config), clientId, log };
  const publisher = createPublisher(broker);
  onStop('publisher', publisher.close);
  if (hasOutbox) {
    const relay = startRelay({ databaseUrl: config.DATABASE_URL, topic: orderEventsTopic, publisher, log });
    onStop('relay', relay.stop);
  }
  onStop(
    'housekeeping',
    everyHour('Forgetting old event ids', () => deleteOldEventIds(database), log),
  );
  // What it cannot ask is not shown: no need for a log line each time.
  const quiet = log.child({}, { level: 'silent' });
  const lag = reportLag(createKafka({ ...broker, log: quiet }), orderEventsTopic, consumerGroup.group);
  onStop('lag', lag.stop);
  const consumer = startConsumer({
    ...consumerGroup,
    topic: orderEventsTopic,
    kafka: createKafka(broker),
    sender: publisher,
    retry: retryOptions(config),
    log,
    onCrash: (error) => crash('The consumer has given up', error),
  });
  onStop('consumer', consumer.stop);
}
