import type { Kafka, KafkaMessage } from 'kafkajs';
import { type ConsumerGroup, type HandlerTransaction, handleOnce, isUnavailable } from '../consumer/handle-once.ts';
import { type Message, readEvent } from '../events.ts';
import { readMessage, type Sender } from '../kafka.ts';
import { committedOffsets, readPartitions, topicRanges } from './read-range.ts';

/** decisions 5: one topic of dead letters, same key and value. */
export const deadLetterTopic = 'order-events-dlq';

/** Where a message came from. */
export interface Origin {
  topic: string;
  partition: number;
  offset: string;
}

export interface DeadLetter {
  group: string;
  attempts: number;
  error: string;
  origin: Origin;
  /** When it was first moved here. */
  time: Date;
  message: Message;
}

export function deadLetterHeaders(group: string, attempts: number, error: unknown, origin: Origin, time = new Date()) {
  const reason = error instanceof Error ? error.message : String(error);
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

/** Offsets of a group of its own say which dead letters of a group have been handed back to it. */
const redriveGroup = (group: string) => `${group}-dlq`;

/** Calls back with each dead letter that was not handed back to its group yet, of those that are there now. */
export async function readDeadLetters(kafka: Kafka, onLetter: (letter: DeadLetter) => void): Promise<void> {
  const ranges = await topicRanges(kafka, deadLetterTopic);
  const marks = new Map<string, Map<number, bigint>>();
  await readPartitions({
    kafka,
    topic: deadLetterTopic,
    ranges,
    async onMessage(partition, message) {
      const letter = toLetter(message);
      const mark = marks.get(letter.group) ?? (await redrivenOffsets(kafka, letter.group));
      marks.set(letter.group, mark);
      if (BigInt(message.offset) >= (mark.get(partition) ?? 0n)) onLetter(letter);
    },
  });
}

export interface RedriveOptions<Tx extends HandlerTransaction, Prepared = void> {
  kafka: Kafka;
  /** For letters that fail once more. */
  sender: Sender;
  /** Whose letters, and what they are handed to. */
  consumerGroup: ConsumerGroup<Tx, Prepared>;
  /** @param error undefined when the letter's event was handled; otherwise the letter was written anew */
  onResult(letter: DeadLetter, error: unknown): void;
}

/**
 * Hands a group its dead letters again, one at a time; the offsets of other groups, and of its own on the topic of
 * events, stay as they are. What fails is written as a new dead letter. Where what the handler needs is away, it ends
 * with that error, and the rest stays.
 * @returns false when another one hands back the same group's letters
 */
export async function redrive<Tx extends HandlerTransaction, Prepared = void>(
  options: RedriveOptions<Tx, Prepared>,
): Promise<boolean> {
  const { kafka, sender, consumerGroup, onResult } = options;
  const { group } = consumerGroup;
  const mark = await redrivenOffsets(kafka, group);
  const ranges = (await topicRanges(kafka, deadLetterTopic)).map(({ partition, start, end }) => {
    const marked = mark.get(partition) ?? 0n;
    return { partition, start: marked > start ? marked : start, end };
  });
  return readPartitions({
    kafka,
    topic: deadLetterTopic,
    groupId: redriveGroup(group),
    ranges,
    async onMessage(_partition, raw) {
      const letter = toLetter(raw);
      if (letter.group !== group) return;
      try {
        const event = readEvent(letter.message, new Set(Object.keys(consumerGroup.handlers)));
        if (event !== undefined) await handleOnce(consumerGroup, [event]);
        onResult(letter, undefined);
      } catch (error) {
        if (isUnavailable(error)) throw error;
        const headers = deadLetterHeaders(group, letter.attempts + 1, error, letter.origin, letter.time);
        await sender.send(deadLetterTopic, [{ ...raw, headers: { ...raw.headers, ...headers } }]);
        onResult(letter, error);
      }
    },
  });
}

/** Of each partition the offset up to which a group was handed its letters back. */
const redrivenOffsets = (kafka: Kafka, group: string) => committedOffsets(kafka, redriveGroup(group), deadLetterTopic);

function toLetter(raw: KafkaMessage): DeadLetter {
  const message = readMessage(raw);
  const { headers } = message;
  return {
    group: headers.dlq_group ?? '',
    attempts: Number(headers.dlq_attempts ?? 0),
    error: headers.dlq_error ?? '',
    origin: {
      topic: headers.dlq_topic ?? '',
      partition: Number(headers.dlq_partition ?? -1),
      offset: headers.dlq_offset ?? '',
    },
    time: new Date(headers.dlq_time ?? 0),
    message,
  };
}
