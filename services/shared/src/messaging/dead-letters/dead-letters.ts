import type { Kafka, KafkaMessage } from 'kafkajs';
import { type EventProcessor, isUnavailable } from '../consumer/handle-once.ts';
import { type Message, readEvent } from '../events.ts';
import { readMessage, type Sender } from '../kafka.ts';
import { deadLetterTopic } from '../topics.ts';
import { committedOffsets, readRanges, topicRanges } from './read-range.ts';

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
  /** When the message first became a dead letter. */
  time: Date;
  message: Message;
}

/** contract 6.7 */
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

/** The offsets of this group say which dead letters of another have been redriven. */
const redriveGroup = (group: string) => `${group}-dlq`;

/** Calls back with each present dead letter that has not been redriven. */
export async function readDeadLetters(kafka: Kafka, onLetter: (letter: DeadLetter) => void): Promise<void> {
  const ranges = await topicRanges(kafka, deadLetterTopic);
  const redriven = new Map<string, Map<number, bigint>>();
  await readRanges({
    kafka,
    topic: deadLetterTopic,
    ranges,
    async onMessage(partition, message) {
      const letter = toLetter(message);
      const offsets = redriven.get(letter.group) ?? (await redrivenOffsets(kafka, letter.group));
      redriven.set(letter.group, offsets);
      if (BigInt(message.offset) >= (offsets.get(partition) ?? 0n)) onLetter(letter);
    },
  });
}

export interface RedriveOptions {
  kafka: Kafka;
  /** For letters that fail again. */
  sender: Sender;
  /** Whose letters, and what processes them. */
  processor: EventProcessor;
  /** @param error undefined if the event was processed; otherwise the letter was written anew */
  onResult(letter: DeadLetter, error: unknown): void;
}

/**
 * Hands a group its dead letters again, one at a time. Offsets of other groups, and the group's own on the topic of
 * events, stay as they are. What fails becomes a new dead letter. If a dependency is unavailable, it throws that error
 * and the rest stays.
 * @returns false if another process is redriving the same group's letters
 */
export async function redrive({ kafka, sender, processor, onResult }: RedriveOptions): Promise<boolean> {
  const { group, kinds } = processor;
  const redriven = await redrivenOffsets(kafka, group);
  const ranges = (await topicRanges(kafka, deadLetterTopic)).map(({ partition, start, end }) => {
    const offset = redriven.get(partition) ?? 0n;
    return { partition, start: offset > start ? offset : start, end };
  });
  return readRanges({
    kafka,
    topic: deadLetterTopic,
    groupId: redriveGroup(group),
    ranges,
    async onMessage(_partition, raw) {
      const letter = toLetter(raw);
      if (letter.group !== group) return;
      try {
        const event = readEvent(letter.message, kinds);
        if (event !== undefined) await processor.process([event]);
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

/** By partition, the offset up to which a group's letters have been redriven. */
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
