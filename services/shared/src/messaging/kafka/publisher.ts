import { Partitioners } from 'kafkajs';
import { startSpan } from '../../observability/trace-context.ts';
import { eventAttributes, operation, type StoredEvent } from '../events.ts';
import { brokerError, createKafka, disconnect, type KafkaOptions, untilAborted } from './client.ts';
import { type RawMessage, toMessage } from './messages.ts';
import type { Watched } from './watchdog.ts';

/** How long a broker waits for its replicas. */
const sendTimeoutMs = 10_000;
/** Longer than any pause between the attempts of a sender. */
const retriesWithinMs = 10_000;
/** New partitions are written to after this time at most. */
const metadataMaxAgeMs = 30_000;

/** The relay's interface to the broker. Our own, because kafkajs is hardly maintained. */
export interface Publisher {
  /** Resolves once all in-sync replicas have the events; connects if necessary. */
  publish(topic: string, events: StoredEvent[]): Promise<void>;
  close(): Promise<void>;
}

export interface Sender {
  send(topic: string, messages: RawMessage[]): Promise<void>;
}

/** Publishes with acks = all and idempotence enabled (contract 6.5). */
export function createPublisher(options: KafkaOptions): Publisher & Sender & Watched {
  const source = `/store/${options.clientId}`;
  let client = newClient();
  let waitingSince: number | undefined;
  let sending = 0;
  let endedAt = 0;
  /** Tells whether a sender is still trying: senders retry within seconds if they still have something to send. */
  const isTrying = () => sending > 0 || performance.now() - endedAt < retriesWithinMs;

  function newClient() {
    const ended = new AbortController();
    const producer = createKafka({ ...options, signal: ended.signal }).producer({
      idempotent: true,
      maxInFlightRequests: 1,
      createPartitioner: Partitioners.DefaultPartitioner,
      metadataMaxAge: metadataMaxAgeMs,
      allowAutoTopicCreation: false,
    });
    let connecting: Promise<void> | undefined;
    /** One at a time: a second `connect()` of kafkajs would change the producer id during sends after the first. */
    const connect = () => (connecting ??= producer.connect().finally(() => (connecting = undefined)));
    return { producer, connect, ended };
  }

  async function send(topic: string, messages: RawMessage[]): Promise<void> {
    const used = client;
    const { producer, connect, ended } = used;
    if (!isTrying()) waitingSince = undefined;
    waitingSince ??= performance.now();
    sending += 1;
    try {
      await untilAborted(ended.signal, async () => {
        await connect();
        await producer.send({
          topic,
          acks: -1,
          timeout: sendTimeoutMs,
          messages: messages.map(({ key = null, value = null, headers }) => ({ key, value, headers })),
        });
      });
      waitingSince = undefined;
    } catch (error) {
      if (brokerError(error) !== undefined) waitingSince = undefined;
      // After a send with an unknown outcome, the client's sequence numbers may differ from the broker's. A new producer
      // starts a new sequence; consumers skip events that were published twice, by their id.
      if (used === client) client = newClient();
      await disconnect(producer);
      ended.abort();
      throw error;
    } finally {
      sending -= 1;
      endedAt = performance.now();
    }
  }

  /** Replaces the client; sends in flight fail. */
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
          attributes: { ...eventAttributes({ id, kind, key }), ...operation('send') },
        }),
      );
      // The consumer's span is a child of the publishing span, which is a child of the span that wrote the event.
      const messages = events.map((event, index) =>
        toMessage({ ...event, traceparent: spans[index]?.traceparent ?? event.traceparent }, source),
      );
      await send(topic, messages);
      for (const span of spans) span?.end(); // a failed send is retried and logged by the relay
    },
    async close() {
      const { producer, ended } = client;
      await disconnect(producer);
      ended.abort();
    },
  };
}
