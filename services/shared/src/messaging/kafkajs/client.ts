import { setMaxListeners } from 'node:events';
import { createRequire } from 'node:module';
import { type IHeaders, Kafka, type KafkaMessage, type LogEntry, logLevel, Partitioners } from 'kafkajs';
import type { Logger } from '../../observability/log.ts';
import { startSpan } from '../../observability/trace-context.ts';
import { within } from '../../values/time.ts';
import { eventAttributes, type Message, type StoredEvent } from '../events.ts';
import { brokerSockets, longestAnswerSeconds } from './broker-socket.ts';

// After its first answer kafkajs 2.2.4 polls for pending requests every millisecond, forever (its issues 1704 and 1751):
// 4 % of a core for each idle process. Polling while requests are pending is enough.
const require = createRequire(import.meta.url);
const RequestQueue = require('kafkajs/src/network/requestQueue/index.js');
const poll = RequestQueue.prototype.scheduleCheckPendingRequests;
RequestQueue.prototype.scheduleCheckPendingRequests = function (this: { pending: unknown[] }) {
  if (this.pending.length > 0) poll.call(this);
};

// It copies the headers of a message for each of them, which takes a minute and a half of the event loop for 20,000.
const maxHeaders = 100;
const Decoder = require('kafkajs/src/protocol/decoder.js');
const readAll = Decoder.prototype.readVarIntArray; // it reads headers and nothing else
Decoder.prototype.readVarIntArray = function (read: unknown) {
  return readAll.call(this, read).slice(0, maxHeaders);
};

/** How long the broker may wait for its replicas before it refuses a batch; shorter than a connection waits for an answer. */
const longestReplicationMs = 10_000;
const retryWithinMs = 10_000;

export interface BrokerOptions {
  brokers: string[];
  tls?: true | { ca: string };
  login?: { username: string; password: string };
}

export interface KafkaOptions extends BrokerOptions {
  clientId: string;
  log: Logger;
  /** Ends the client: all its connections, and its attempts to open others. */
  signal?: AbortSignal;
}

/** Interface that the relay publishes to. It is our own, because kafkajs is hardly maintained any more. */
export interface Publisher {
  /** Resolves once all in-sync replicas have the events; connects if necessary. */
  publish(topic: string, events: StoredEvent[]): Promise<void>;
  close(): Promise<void>;
}

/** A message to be written byte for byte, such as a dead letter. */
export interface RawMessage {
  key?: string | Buffer | null | undefined;
  value?: string | Buffer | null | undefined;
  headers?: IHeaders;
}

export interface Sender {
  send(topic: string, messages: RawMessage[]): Promise<void>;
}

/** A client whose connections answer or end ({@link brokerSockets}). What went wrong with one is for a new client to try again. */
export function createKafka({ brokers, tls, login, clientId, log, signal }: KafkaOptions): Kafka {
  const ended = signal ?? new AbortController().signal;
  setMaxListeners(0, ended); // each connection listens
  return new Kafka({
    // A new client asks another broker first, because kafkajs stays with one that accepts connections and closes them.
    brokers: [...brokers].sort(() => Math.random() - 0.5),
    socketFactory: brokerSockets(ended),
    ...(tls && { ssl: tls }),
    ...(login && { sasl: { mechanism: 'scram-sha-512', ...login } }),
    clientId,
    connectionTimeout: 2_000,
    // Connections without an answer end by themselves: kafkajs would go on using them, and look at each ten times a second.
    enforceRequestTimeout: false,
    authenticationTimeout: (longestAnswerSeconds + 5) * 1_000,
    retry: { initialRetryTime: 100, maxRetryTime: 2_000, retries: 5 },
    logLevel: logLevel.WARN,
    logCreator: () => (entry) => writeLog(log, entry),
  });
}

/** The watchdog's view of whoever talks to the broker. */
export interface Watched {
  name: string;
  /** Since when it has waited for an answer of the broker, as of `performance.now()`; undefined if it expects none. */
  waitingSince(): number | undefined;
  /** Starts over with a new client. */
  renew(): void;
}

/** Publishes with acks = all and idempotence enabled (contract 6.5). */
export function createPublisher(options: KafkaOptions): Publisher & Sender & Watched {
  const source = `/store/${options.clientId}`;
  let client = newClient();
  let waitingSince: number | undefined;
  let sending = 0;
  let endedAt = 0;
  /** Tells whether a sender is still trying: it tries again within seconds, unless it has nothing to send any more. */
  const isTrying = () => sending > 0 || performance.now() - endedAt < retryWithinMs;

  function newClient() {
    const ended = new AbortController();
    const producer = createKafka({ ...options, signal: ended.signal }).producer({
      idempotent: true,
      maxInFlightRequests: 1,
      createPartitioner: Partitioners.DefaultPartitioner,
      allowAutoTopicCreation: false,
    });
    return { producer, ended };
  }

  async function send(topic: string, messages: RawMessage[]): Promise<void> {
    const used = client;
    const { producer, ended } = used;
    if (!isTrying()) waitingSince = undefined;
    waitingSince ??= performance.now();
    sending += 1;
    try {
      await untilAborted(ended.signal, async () => {
        await producer.connect();
        await producer.send({
          topic,
          acks: -1,
          timeout: longestReplicationMs,
          messages: messages.map(({ key = null, value = null, headers }) => ({ key, value, headers })),
        });
      });
      waitingSince = undefined;
    } catch (error) {
      if (brokerError(error) !== undefined) waitingSince = undefined;
      // After a send of unknown outcome the client's sequence numbers may differ from the broker's. A new producer
      // starts a new sequence; consumers skip what was published twice by its event id.
      if (used === client) client = newClient();
      await disconnect(producer);
      ended.abort();
      throw error;
    } finally {
      sending -= 1;
      endedAt = performance.now();
    }
  }

  /** Sends in flight fail. */
  function renew(): void {
    const { ended } = client;
    client = newClient();
    ended.abort();
  }

  return {
    name: 'publisher',
    waitingSince: () => (isTrying() ? waitingSince : undefined),
    renew,
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
      // The consumer's span is a child of the publishing span, which is a child of the span that wrote the event.
      const messages = events.map((event, index) => ({
        ...event,
        traceparent: spans[index]?.traceparent ?? event.traceparent,
      }));
      await send(
        topic,
        messages.map((event) => toMessage(event, source)),
      );
      for (const span of spans) span?.end(); // a failed send is retried and logged by the relay
    },
    async close() {
      const { producer, ended } = client;
      await disconnect(producer);
      ended.abort();
    },
  };
}

/**
 * Why the broker refuses a request, such as `MESSAGE_TOO_LARGE` (Kafka protocol guide, "Error Codes"); undefined for a
 * request without an answer.
 */
export function brokerError(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const { type, cause } = error as { type?: unknown; cause?: unknown };
  return typeof type === 'string' ? type : brokerError(cause);
}

/** Tells whether the broker rejects a message for its size. */
export const isTooLarge = (error: unknown) => brokerError(error) === 'MESSAGE_TOO_LARGE';

/** A message as it was read. */
export type ReadBytes = Pick<KafkaMessage, 'key' | 'value' | 'offset'> & { headers?: IHeaders | undefined };

/** The same as text. */
export function readMessage(topic: string, partition: number, message: ReadBytes): Message {
  const { key, value, headers, offset } = message;
  const texts = Object.entries(headers ?? {}).map(([name, text]) => [name, utf8(text)]);
  const origin = { topic, partition, offset };
  return { origin, key: utf8(key), value: utf8(value), headers: Object.fromEntries(texts) };
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Undefined for anything but bytes in UTF-8, such as the array that kafkajs makes of a repeated header. */
function utf8(bytes: unknown): string | undefined {
  try {
    return Buffer.isBuffer(bytes) ? decoder.decode(bytes) : undefined;
  } catch {
    return undefined;
  }
}

/** Disconnects, within 2 s: kafkajs first waits for requests in flight, and was seen to wait forever for one without an answer. */
export async function disconnect(client: { disconnect(): Promise<void> }): Promise<void> {
  await within(2_000, client.disconnect()).catch(() => undefined);
}

/** The outcome of the work, unless the signal is aborted first: kafkajs may leave a promise of a dead connection pending. */
export async function untilAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  return new Promise<T>((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    work()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', stop));
  });
}

/** CloudEvents 1.0, Kafka binding, binary mode. */
function toMessage(event: StoredEvent, source: string): RawMessage {
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
      // kafkajs fails on a header without a value.
      ...(event.traceparent === null ? {} : { traceparent: event.traceparent }),
    },
  };
}

/** kafkajs cannot know that callers retry and that consumers recognise duplicates by their event id. */
const unfounded = 'Limiting retries for the idempotent producer may invalidate EoS guarantees';

function writeLog(log: Logger, { level, log: { message, ...rest } }: LogEntry): void {
  const { timestamp: _, logger: __, stack: ___, ...fields } = rest as Record<string, unknown>;
  if (message === unfounded) return;
  // kafkajs logs each failed attempt as an error; the caller decides what it means that all of them failed.
  if (level === logLevel.ERROR || level === logLevel.WARN) log.warn(fields, `Kafka client: ${message}`);
}
