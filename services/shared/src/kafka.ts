import { Kafka, type LogEntry, logLevel, Partitioners } from 'kafkajs';
import type { Message, StoredEvent } from './events.ts';
import type { Logger } from './log.ts';

export interface KafkaOptions {
  brokers: string[];
  clientId: string;
  log: Logger;
}

/** Where a relay hands its events. Behind an interface of our own, for the client is hardly maintained any more. */
export interface Publisher {
  /** Resolves when every broker that must have the events has them; connects when it is not connected. */
  publish(topic: string, events: StoredEvent[]): Promise<void>;
  close(): Promise<void>;
}

/** The same for messages as they are, such as dead letters. */
export interface Sender {
  send(topic: string, messages: Message[]): Promise<void>;
}

export function createKafka({ brokers, clientId, log }: KafkaOptions): Kafka {
  return new Kafka({
    brokers,
    clientId,
    connectionTimeout: 2_000,
    requestTimeout: 10_000,
    retry: { initialRetryTime: 100, maxRetryTime: 2_000, retries: 5 },
    logLevel: logLevel.WARN,
    logCreator: () => (entry) => writeLog(log, entry),
  });
}

/** spec: Events, Producer and consumer rules, rule 1: acks = all, idempotence enabled. */
export function createPublisher(options: KafkaOptions): Publisher & Sender {
  const kafka = createKafka(options);
  const newProducer = () =>
    kafka.producer({
      idempotent: true,
      maxInFlightRequests: 1,
      createPartitioner: Partitioners.DefaultPartitioner,
      allowAutoTopicCreation: false,
    });
  const source = `/store/${options.clientId}`;
  let producer = newProducer();

  async function send(topic: string, messages: Message[]): Promise<void> {
    try {
      await producer.connect();
      await producer.send({
        topic,
        acks: -1,
        messages: messages.map(({ key = null, value = null, headers }) => ({ key, value, headers })),
      });
    } catch (error) {
      // After a send of unknown outcome the client's sequence numbers may differ from the broker's: a new
      // producer starts a new sequence, and what went out twice is skipped by its event id.
      await producer.disconnect().catch(() => undefined);
      producer = newProducer();
      throw error;
    }
  }

  return {
    send,
    publish: (topic, events) =>
      send(
        topic,
        events.map((event) => toMessage(event, source)),
      ),
    close: () => producer.disconnect(),
  };
}

/** CloudEvents 1.0, Kafka binding, binary mode. */
function toMessage(event: StoredEvent, source: string): Message {
  return {
    key: event.key,
    value: event.payload,
    headers: {
      'content-type': 'application/json',
      ce_specversion: '1.0',
      ce_id: event.id,
      ce_source: source,
      ce_type: event.kind,
      ce_time: event.createdAt.toISOString(),
      // The client fails on a header without a value.
      ...(event.traceparent === null ? {} : { traceparent: event.traceparent }),
    },
  };
}

function writeLog(log: Logger, { level, log: { message, ...rest } }: LogEntry): void {
  const { timestamp: _, logger: __, stack: ___, ...fields } = rest as Record<string, unknown>;
  // Each of its attempts is an error to kafkajs; the caller decides what it means that all have failed.
  if (level === logLevel.ERROR || level === logLevel.WARN) log.warn(fields, `Kafka client: ${message}`);
}
