import { createRequire } from 'node:module';
import { setTimeout as wait } from 'node:timers/promises';
import { type IHeaders, Kafka, type KafkaMessage, type LogEntry, logLevel, Partitioners } from 'kafkajs';
import type { Logger } from '../observability/log.ts';
import { startSpan } from '../observability/trace-context.ts';
import { eventAttributes, type Message, type StoredEvent } from './events.ts';

// Once it has had an answer, kafkajs 2.2.4 looks every millisecond for requests that wait, for ever (its issues 1704 and
// 1751): 4 % of a core for every idle process. It is enough to look while there are some.
const RequestQueue = createRequire(import.meta.url)('kafkajs/src/network/requestQueue/index.js');
const look = RequestQueue.prototype.scheduleCheckPendingRequests;
RequestQueue.prototype.scheduleCheckPendingRequests = function (this: { pending: unknown[] }) {
  if (this.pending.length > 0) look.call(this);
};

export interface BrokerOptions {
  brokers: string[];
  tls?: true | { ca: string };
  login?: { username: string; password: string };
}

export interface KafkaOptions extends BrokerOptions {
  clientId: string;
  log: Logger;
}

/** Where a relay hands its events. Behind an interface of our own, for the client is hardly maintained any more. */
export interface Publisher {
  /** Resolves when every broker that must have the events has them; connects when it is not connected. */
  publish(topic: string, events: StoredEvent[]): Promise<void>;
  close(): Promise<void>;
}

/** A message to be written as it is, such as a dead letter. */
export interface RawMessage {
  key?: string | Buffer | null | undefined;
  value?: string | Buffer | null | undefined;
  headers?: IHeaders;
}

export interface Sender {
  send(topic: string, messages: RawMessage[]): Promise<void>;
}

export function createKafka({ brokers, tls, login, clientId, log }: KafkaOptions): Kafka {
  return new Kafka({
    brokers,
    ...(tls && { ssl: tls }),
    ...(login && { sasl: { mechanism: 'scram-sha-512', ...login } }),
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

  async function send(topic: string, messages: RawMessage[]): Promise<void> {
    const used = producer;
    try {
      await used.connect();
      await used.send({
        topic,
        acks: -1,
        messages: messages.map(({ key = null, value = null, headers }) => ({ key, value, headers })),
      });
    } catch (error) {
      // After a send of unknown outcome the client's sequence numbers may differ from the broker's: a new
      // producer starts a new sequence, and what went out twice is skipped by its event id.
      if (used === producer) producer = newProducer();
      await disconnect(used);
      throw error;
    }
  }

  return {
    send,
    async publish(topic, events) {
      const spans = events.map(({ id, kind, key, traceparent }) =>
        startSpan({
          name: `publish ${kind}`,
          kind: 'producer',
          parent: traceparent,
          attributes: { ...eventAttributes({ id, kind, orderId: key }), 'messaging.operation.type': 'send' },
        }),
      );
      // Who reads it goes on with the span of its publishing, which goes on with the one of its writing.
      const messages = events.map((event, index) => ({
        ...event,
        traceparent: spans[index]?.traceparent ?? event.traceparent,
      }));
      await send(
        topic,
        messages.map((event) => toMessage(event, source)),
      );
      for (const span of spans) span?.end(); // what did not go out will be tried again, and the log says why
    },
    close: () => disconnect(producer),
  };
}

/** Whether the broker refuses a message for its size. */
export function isTooLarge(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { type, cause } = error as { type?: unknown; cause?: unknown };
  return type === 'MESSAGE_TOO_LARGE' || isTooLarge(cause);
}

/** A message as text; what is no UTF-8 cannot be read and counts as not there. */
export function readMessage({ key, value, headers }: Pick<KafkaMessage, 'key' | 'value' | 'headers'>): Message {
  const texts = Object.entries(headers ?? {}).map(([name, text]) => [name, text?.toString()]);
  return { key: key?.toString(), value: value === null ? undefined : utf8(value), headers: Object.fromEntries(texts) };
}

function utf8(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The client waits for requests under way first, and has been seen to wait for ever for one that got no answer. */
export async function disconnect(client: { disconnect(): Promise<void> }): Promise<void> {
  await Promise.race([client.disconnect(), wait(2_000, undefined, { ref: false })]).catch(() => undefined);
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

/** It does not know that its callers try again, nor that what comes twice is known by its id. */
const unfounded = 'Limiting retries for the idempotent producer may invalidate EoS guarantees';

function writeLog(log: Logger, { level, log: { message, ...rest } }: LogEntry): void {
  const { timestamp: _, logger: __, stack: ___, ...fields } = rest as Record<string, unknown>;
  if (message === unfounded) return;
  // Each of its attempts is an error to kafkajs; the caller decides what it means that all have failed.
  if (level === logLevel.ERROR || level === logLevel.WARN) log.warn(fields, `Kafka client: ${message}`);
}
