import type { Message, StoredEvent } from '../events.ts';

/** The headers of a message; a repeated header has an array. */
export type Headers = Record<string, Buffer | string | (Buffer | string)[] | undefined>;

/** A message to write byte for byte, such as a dead letter. */
export interface RawMessage {
  key?: string | Buffer | null | undefined;
  value?: string | Buffer | null | undefined;
  headers?: Headers;
}

/** A message of a partition, as the bytes that were read. */
export interface ReceivedMessage {
  offset: string;
  key: Buffer | null;
  value: Buffer | null;
  headers?: Headers | undefined;
}

export function readMessage(topic: string, partition: number, message: ReceivedMessage): Message {
  const { key, value, headers = {}, offset } = message;
  // Without a prototype, so that any name is a name.
  const texts: Message['headers'] = Object.create(null);
  for (const name of Object.keys(headers)) texts[name] = utf8(headers[name]);
  return { origin: { topic, partition, offset }, key: utf8(key), value: utf8(value), headers: texts };
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Returns undefined for anything but UTF-8 bytes, such as the array of a repeated header. */
function utf8(bytes: unknown): string | undefined {
  try {
    return Buffer.isBuffer(bytes) ? decoder.decode(bytes) : undefined;
  } catch {
    return undefined;
  }
}

/** Makes the message of an event: CloudEvents 1.0, Kafka binding, binary mode. */
export function toMessage(event: StoredEvent, source: string): RawMessage {
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

/** Makes headers that kafkajs can write again: it fails on one without a value. */
export const writableHeaders = (headers: Headers = {}): Headers =>
  Object.fromEntries(
    Object.entries(headers).map(([name, given]) => {
      const values = [given].flat().map((value) => value ?? Buffer.alloc(0));
      const [first = '', ...others] = values.filter(Buffer.isBuffer);
      return [name, others.length > 0 ? [first, ...others] : first];
    }),
  );
