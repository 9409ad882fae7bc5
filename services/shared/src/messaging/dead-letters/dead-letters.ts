import { messageOf, tryParse } from '../../values/errors.ts';
import { nameUuid } from '../../values/name-uuid.ts';
import { cut } from '../../values/text.ts';
import { eventIdOf, kindOf, type Message, type Origin } from '../events.ts';
import type { KafkaOptions } from '../kafka/client.ts';
import { type ReceivedMessage, readMessage } from '../kafka/messages.ts';
import { readTopic } from '../kafka/read-topic.ts';
import { deadLetterTopic } from '../topics.ts';

export interface LetterRef {
  group: string;
  /** A UUID made from group, origin, event and key, so it stays the same if the letter is written again. */
  id: string;
  /** Undefined if the message has no valid event id. */
  eventId: string | undefined;
}

export interface DeadLetter extends LetterRef {
  /** Calls of the handler that failed. */
  attempts: number;
  error: string;
  /** Undefined if the kind of the message is unclear. */
  kind: string | undefined;
  /** When the message first became a dead letter. */
  time: Date;
  message: Message;
}

/** contract 6.7 */
export function deadLetterHeaders(group: string, attempts: number, error: unknown, origin: Origin) {
  return {
    dlq_group: group,
    dlq_attempts: String(attempts),
    dlq_error: cut(messageOf(error).toWellFormed(), 1_000),
    dlq_topic: origin.topic,
    dlq_partition: String(origin.partition),
    dlq_offset: origin.offset,
    dlq_time: new Date().toISOString(),
  };
}

/**
 * A consumer that dies after it has written a letter writes it again, at another offset: both copies get the same id. The id
 * also covers event and key, because a recreated topic reuses offsets.
 */
export function letterRef(group: string, message: Omit<Message, 'value'>): LetterRef {
  const { key, headers, origin } = message;
  const { topic, partition, offset } = origin;
  return {
    group,
    id: nameUuid(JSON.stringify([group, topic, partition, offset, headers.ce_id ?? null, key ?? null])),
    eventId: tryParse(() => eventIdOf(message)),
  };
}

/** Calls back for each message on the topic of dead letters, one at a time; a letter that was written twice comes twice. */
export async function readDeadLetters(broker: KafkaOptions, onLetter: (letter: DeadLetter) => Promise<void> | void) {
  await readTopic(broker, deadLetterTopic, (partition, message) => onLetter(toLetter(partition, message)));
}

function toLetter(partition: number, raw: ReceivedMessage): DeadLetter {
  const letter = readMessage(deadLetterTopic, partition, raw);
  const { headers } = letter;
  const origin = {
    topic: headers.dlq_topic ?? '',
    partition: Number(headers.dlq_partition ?? -1),
    offset: headers.dlq_offset ?? '',
  };
  const message = { ...letter, origin };
  return {
    ...letterRef(headers.dlq_group ?? '', message),
    attempts: Number(headers.dlq_attempts ?? 0),
    error: headers.dlq_error ?? '',
    kind: tryParse(() => kindOf(message)),
    time: new Date(headers.dlq_time ?? 0),
    message,
  };
}
