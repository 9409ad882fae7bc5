import { randomUUID } from 'node:crypto';
import type { Kafka } from 'kafkajs';
import { DomainError, unavailable } from '../../values/errors.ts';
import { answerTimeoutSeconds } from './broker-socket.ts';
import { createKafka, type KafkaOptions } from './client.ts';
import type { ReceivedMessage } from './messages.ts';
import { undecodableOf } from './record-batches.ts';

/** As in subscription.ts: brokers forget a dead reader as soon as a dead consumer. */
const sessionTimeoutMs = 10_000;
const heartbeatEveryMs = 3_000;
/** Short, because only messages that are already there are read. */
const fetchWaitMs = 100;
/** The broker counts as unavailable if no message arrives for this long although there are more to read. */
const longestSilenceMs = 3 * answerTimeoutSeconds * 1_000;

/** Returns the partitions with messages: the next offset to read, and the offset after the last. */
async function rangesOf(kafka: Kafka, topic: string) {
  const admin = kafka.admin();
  try {
    await admin.connect();
    const offsets = await admin.fetchTopicOffsets(topic);
    const ranges = offsets.map(({ partition, low, high }) => ({ partition, next: BigInt(low), end: BigInt(high) }));
    return new Map(ranges.filter(({ next, end }) => next < end).map((range) => [range.partition, range]));
  } finally {
    await admin.disconnect();
  }
}

/** Reads the messages that are on a topic now, one at a time, each partition in order. Commits nothing. */
export async function readTopic(
  broker: KafkaOptions,
  topic: string,
  onMessage: (partition: number, message: ReceivedMessage) => Promise<void> | void,
): Promise<void> {
  const kafka = createKafka(broker);
  const open = await rangesOf(kafka, topic);
  if (open.size === 0) return;
  const reader = kafka.consumer({
    groupId: `reader-${randomUUID()}`,
    maxWaitTimeInMs: fetchWaitMs,
    sessionTimeout: sessionTimeoutMs,
    rebalanceTimeout: sessionTimeoutMs,
    allowAutoTopicCreation: false,
  });
  let running: Promise<void> | undefined;
  try {
    await reader.connect();
    await reader.subscribe({ topic, fromBeginning: true });
    await new Promise<void>((resolve, reject) => {
      const silence = setTimeout(() => reject(unavailable(`Topic ${topic}`)), longestSilenceMs);
      reader.on(reader.events.CRASH, ({ payload }) => reject(payload.error));
      reader.on(reader.events.GROUP_JOIN, () => silence.refresh());
      reader.on(reader.events.DISCONNECT, () => clearTimeout(silence));
      running = reader.run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        eachBatch: async ({ batch, heartbeat, pause, resolveOffset, isRunning }) => {
          const { partition } = batch;
          const { error } = (batch.messages.length === 0 && undecodableOf(batch)) || {};
          if (error !== undefined) {
            const detail = `Partition ${partition} of ${topic} cannot be read: ${error.message}`;
            reject(new DomainError('unavailable', detail, { cause: error }));
            return pause() && undefined;
          }
          const beat = setInterval(() => heartbeat().catch(() => undefined), heartbeatEveryMs);
          try {
            for (const message of batch.messages) {
              const range = open.get(partition);
              if (range === undefined || !isRunning()) return pause() && undefined;
              silence.refresh();
              const offset = BigInt(message.offset);
              if (offset >= range.next && offset < range.end) {
                await onMessage(partition, message);
                range.next = offset + 1n; // after a rebalance the partition is read from the beginning again
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
    await running?.catch(() => undefined); // kafkajs does not leave a group while it is still joining
    await reader.disconnect();
  }
}
