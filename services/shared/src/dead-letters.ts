import { randomUUID } from 'node:crypto';
import type { Kafka } from 'kafkajs';
import type { Message } from './events.ts';

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
  time: Date;
  message: Message;
  /** Its own place in the topic of dead letters. */
  partition: number;
  offset: string;
}

export function deadLetterHeaders(group: string, attempts: number, error: unknown, origin: Origin) {
  const reason = error instanceof Error ? error.message : String(error);
  return {
    dlq_group: group,
    dlq_attempts: String(attempts),
    dlq_error: reason.slice(0, 1_000),
    dlq_topic: origin.topic,
    dlq_partition: String(origin.partition),
    dlq_offset: origin.offset,
    dlq_time: new Date().toISOString(),
  };
}

export interface PartitionOffset {
  partition: number;
  offset: string;
}

/** Offsets of a group of its own say which dead letters of a group have been handed back to it. */
const reprocessingGroup = (group: string) => `${group}-dlq`;

/**
 * Reads the dead letters of a group that were not handed back to it yet, up to those that are there now.
 * @param onLetter called in the order of each partition; when it throws, reading ends
 * @returns where reading ended, for `markHandedBack`
 */
export async function readDeadLetters(
  kafka: Kafka,
  group: string,
  onLetter: (letter: DeadLetter) => Promise<void> | void,
): Promise<PartitionOffset[]> {
  const admin = kafka.admin();
  await admin.connect();
  const ends = await admin.fetchTopicOffsets(deadLetterTopic);
  const [committed] = await admin.fetchOffsets({ groupId: reprocessingGroup(group), topics: [deadLetterTopic] });
  await admin.disconnect();

  const open = new Map<number, { start: string; end: bigint }>();
  for (const { partition, low, high } of ends) {
    const kept = committed?.partitions.find((one) => one.partition === partition)?.offset ?? '-1';
    const start = BigInt(kept) > BigInt(low) ? kept : low;
    if (BigInt(start) < BigInt(high)) open.set(partition, { start, end: BigInt(high) });
  }
  const ended = [...open].map(([partition, { end }]) => ({ partition, offset: String(end) }));
  if (open.size === 0) return ended;

  // A reader of its own: the group's offsets move only when a letter was handed back.
  const reader = kafka.consumer({ groupId: `dlq-reader-${randomUUID()}` });
  await reader.connect();
  await reader.subscribe({ topic: deadLetterTopic, fromBeginning: true });
  try {
    await new Promise<void>((resolve, reject) => {
      reader.on(reader.events.CRASH, ({ payload }) => reject(payload.error));
      const isRead = reader.run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        eachBatch: async ({ batch, heartbeat, resolveOffset }) => {
          const { partition } = batch;
          for (const { offset, key, value, headers } of batch.messages) {
            const range = open.get(partition);
            if (range === undefined || BigInt(offset) < BigInt(range.start)) continue;
            const letter = toLetter(partition, offset, {
              key: key?.toString(),
              value: value?.toString(),
              headers: Object.fromEntries(
                Object.entries(headers ?? {}).map(([name, text]) => [name, text?.toString()]),
              ),
            });
            try {
              if (letter.group === group) await onLetter(letter);
            } catch (error) {
              reject(error);
              return;
            }
            resolveOffset(offset);
            if (BigInt(offset) + 1n >= range.end) open.delete(partition);
            await heartbeat();
          }
          if (open.size === 0) resolve();
        },
      });
      isRead.catch(reject);
      for (const [partition, { start }] of open) reader.seek({ topic: deadLetterTopic, partition, offset: start });
    });
    return ended;
  } finally {
    await reader.disconnect();
  }
}

/** What was read up to there is not listed or handed back again. */
export async function markHandedBack(kafka: Kafka, group: string, partitions: PartitionOffset[]): Promise<void> {
  if (partitions.length === 0) return;
  const admin = kafka.admin();
  await admin.connect();
  await admin.setOffsets({ groupId: reprocessingGroup(group), topic: deadLetterTopic, partitions });
  await admin.disconnect();
}

function toLetter(partition: number, offset: string, message: Message): DeadLetter {
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
    partition,
    offset,
  };
}
