import { createHash } from 'node:crypto';
import type { Kafka, KafkaMessage } from 'kafkajs';
import { messageOf } from '../../values/errors.ts';
import { uuid } from '../../values/fields.ts';
import type { Message } from '../events.ts';
import { readMessage } from '../kafka.ts';
import { deadLetterTopic } from '../topics.ts';
import { readRanges, topicRanges } from './read-range.ts';

/** Where a message came from. */
export interface Origin {
  topic: string;
  partition: number;
  offset: string;
}

/** What identifies a dead letter. */
export interface LetterRef {
  group: string;
  /** The same however often the letter was written: a UUID of its group, its origin, its event and its order. */
  id: string;
  /** Undefined if the message names none. */
  eventId: string | undefined;
}

export interface DeadLetter extends LetterRef {
  /** Calls of the handler that failed. */
  attempts: number;
  error: string;
  origin: Origin;
  /** When the message first became a dead letter. */
  time: Date;
  message: Message;
}

/** contract 6.7 */
export function deadLetterHeaders(group: string, attempts: number, error: unknown, origin: Origin, time = new Date()) {
  const reason = messageOf(error);
  return {
    dlq_group: group,
    dlq_attempts: String(attempts),
    dlq_error: reason.slice(0, 1_000),
    dlq_topic: origin.topic,
    dlq_partition: String(origin.partition),
    dlq_offset: origin.offset,
    dlq_time: time.toISOString(),
  };
}

/**
 * A consumer that dies after it has written a letter writes it again, elsewhere on the topic: both are one letter. Event
 * and key are in the id as well, so that it is another one in a store whose topic was created anew.
 */
export function letterRef(
  group: string,
  origin: Origin,
  { key, headers }: Pick<Message, 'key' | 'headers'>,
): LetterRef {
  const { topic, partition, offset } = origin;
  const name = JSON.stringify([group, topic, partition, offset, headers.ce_id ?? null, key ?? null]);
  return { group, id: uuidOf(name), eventId: uuid.safeParse(headers.ce_id).data };
}

/** A UUID of version 8 with the digest of a name (RFC 9562, appendix B.2). */
function uuidOf(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex');
  const variant = '89ab'[Number.parseInt(hex[16] ?? '', 16) % 4];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Calls back with what is on the topic of dead letters, one at a time; a letter that was written twice comes twice. */
export async function readDeadLetters(kafka: Kafka, onLetter: (letter: DeadLetter) => Promise<void> | void) {
  await readRanges({
    kafka,
    topic: deadLetterTopic,
    ranges: await topicRanges(kafka, deadLetterTopic),
    onMessage: (_partition, message) => onLetter(toLetter(message)),
  });
}

function toLetter(raw: KafkaMessage): DeadLetter {
  const message = readMessage(raw);
  const { headers } = message;
  const origin = {
    topic: headers.dlq_topic ?? '',
    partition: Number(headers.dlq_partition ?? -1),
    offset: headers.dlq_offset ?? '',
  };
  return {
    ...letterRef(headers.dlq_group ?? '', origin, message),
    attempts: Number(headers.dlq_attempts ?? 0),
    error: headers.dlq_error ?? '',
    origin,
    time: new Date(headers.dlq_time ?? 0),
    message,
  };
}
