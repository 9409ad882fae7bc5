import { randomUUID } from 'node:crypto';
import type { Kafka, KafkaMessage } from 'kafkajs';
import { unavailable } from '../../values/errors.ts';
import { briefMs, heartbeatMs, longestAnswerSeconds, sessionMs } from '../times.ts';

/** Offsets of a partition, `end` not included. */
interface OffsetRange {
  partition: number;
  start: bigint;
  end: bigint;
}

interface ReadOptions {
  kafka: Kafka;
  topic: string;
  /** Default: all that is on the topic now. */
  ranges?: OffsetRange[];
  /** Called with one message at a time, in the order of each partition; reading ends when it throws. */
  onMessage(partition: number, message: KafkaMessage): Promise<void> | void;
}

/** The present offsets of a topic. */
async function topicRanges(kafka: Kafka, topic: string): Promise<OffsetRange[]> {
  const admin = kafka.admin();
  try {
    await admin.connect();
    const offsets = await admin.fetchTopicOffsets(topic);
    return offsets.map(({ partition, low, high }) => ({ partition, start: BigInt(low), end: BigInt(high) }));
  } finally {
    await admin.disconnect();
  }
}

/** Reads ranges of partitions and ends: for commands, not for services. It commits nothing. */
export async function readRanges({ kafka, topic, ranges, onMessage }: ReadOptions): Promise<void> {
  const given = ranges ?? (await topicRanges(kafka, topic));
  const open = new Map(given.filter(({ start, end }) => start < end).map((range) => [range.partition, { ...range }]));
  if (open.size === 0) return;
  const reader = kafka.consumer({
    groupId: `reader-${randomUUID()}`,
    maxWaitTimeInMs: briefMs,
    sessionTimeout: sessionMs,
    rebalanceTimeout: sessionMs,
    allowAutoTopicCreation: false,
  });
  let running: Promise<void> | undefined;
  try {
    await reader.connect();
    await reader.subscribe({ topic, fromBeginning: true });
    await new Promise<void>((resolve, reject) => {
      // Without a message for this long, although there is more to read, the broker counts as unavailable.
      const silence = setTimeout(() => reject(unavailable(`Topic ${topic}`)), 3 * longestAnswerSeconds * 1_000);
      reader.on(reader.events.CRASH, ({ payload }) => reject(payload.error));
      reader.on(reader.events.GROUP_JOIN, () => silence.refresh());
      reader.on(reader.events.DISCONNECT, () => clearTimeout(silence));
      running = reader.run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        eachBatch: async ({ batch, heartbeat, pause, resolveOffset, isRunning }) => {
          const { partition } = batch;
          const beat = setInterval(() => heartbeat().catch(() => undefined), heartbeatMs);
          try {
            for (const message of batch.messages) {
              const range = open.get(partition);
              if (range === undefined || !isRunning()) return pause() && undefined;
              silence.refresh();
              const offset = BigInt(message.offset);
              if (offset >= range.start && offset < range.end) {
                await onMessage(partition, message);
                range.start = offset + 1n; // after a rebalance it is read from the beginning again
              }
              resolveOffset(message.offset);
              if (offset + 1n < range.end) continue;
              open.delete(partition);
              if (open.size === 0) resolve();
              return pause() && undefined;
            }
          } catch (error) {
            reject(error);
            pause();
          } finally {
            clearInterval(beat);
          }
        },
      });
      running.catch(reject);
    });
  } finally {
    await running?.catch(() => undefined); // kafkajs does not leave a group while it is joining it
    await reader.disconnect();
  }
}
