import type { Admin, ITopicConfig } from 'kafkajs';
import { createKafka, disconnect, type KafkaOptions, untilAborted } from './client.ts';

/** Creates topics and waits for their leaders. @returns false if all topics exist already */
export const createTopics = (
  broker: KafkaOptions,
  topics: ITopicConfig[],
  timeoutMs = defaultTimeoutMs,
): Promise<boolean> => askAdmin(broker, timeoutMs, (admin) => admin.createTopics({ topics, waitForLeaders: true }));

/** Resolves if the broker answers for a topic and, if a group is given, for its coordinator; otherwise rejects. */
export async function probe(broker: KafkaOptions, topic: string, groupId?: string): Promise<void> {
  await askAdmin(broker, probeTimeoutMs, (admin) =>
    Promise.all([admin.fetchTopicOffsets(topic), groupId && admin.fetchOffsets({ groupId, topics: [topic] })]),
  );
}

/** Tells whether a topic holds no message from before a time. */
export const startsAfter = (broker: KafkaOptions, topic: string, time: Date): Promise<boolean> =>
  askAdmin(broker, defaultTimeoutMs, async (admin) => {
    const since = await admin.fetchTopicOffsetsByTimestamp(topic, time.getTime());
    const offsets = await admin.fetchTopicOffsets(topic);
    const starts = new Map(offsets.map(({ partition, low }) => [partition, BigInt(low)]));
    return since.every(({ partition, offset }) => BigInt(offset) <= (starts.get(partition) ?? 0n));
  });

/** The messages of a partition that a group has not committed yet. */
export interface Lag {
  group: string;
  topic: string;
  partition: number;
  /** Number of messages. */
  lag: number;
  /** False if the group has never committed an offset of the topic. */
  reads: boolean;
}

/**
 * Asks for the lag of a group, and of all other groups that the broker shows whose names end with `ending`.
 * @param ending such as `-group`
 */
export const lagsOf = (broker: KafkaOptions, topics: string[], ownGroup: string, ending: string): Promise<Lag[]> =>
  askAdmin(broker, lagTimeoutMs, async (admin) => {
    const [{ groups }, ...ends] = await Promise.all([
      admin.listGroups(),
      ...topics.map(async (topic) => [topic, await admin.fetchTopicOffsets(topic)] as const),
    ]);
    const names = groups.map(({ groupId }) => groupId).filter((name) => name.endsWith(ending));
    const perGroup = [...new Set([ownGroup, ...names])].map(async (group) => {
      const committed = await admin.fetchOffsets({ groupId: group, topics });
      return ends.flatMap(([topic, partitions]) => {
        const offsets = committed.find((one) => one.topic === topic)?.partitions ?? [];
        const offsetOf = (partition: number) => offsets.find((one) => one.partition === partition)?.offset ?? never;
        const reads = offsets.some(({ offset }) => offset !== never);
        return partitions.map(({ partition, low, high }) => {
          const offset = offsetOf(partition);
          // A group that has never committed starts at the beginning.
          const lag = Number(BigInt(high) - BigInt(offset === never ? low : offset));
          return { group, topic, partition, lag, reads };
        });
      });
    });
    return (await Promise.all(perGroup)).flat();
  });

/** For rare requests that are harmless to repeat. */
const defaultTimeoutMs = 30_000;
/** As long as the broker may delay an answer on purpose. */
const probeTimeoutMs = 10_000;
/** Short, because a scrape of metrics waits for it. */
const lagTimeoutMs = 3_000;
/** The offset if a group has committed nothing of a partition. */
const never = '-1';

/** Asks the broker with a new client. Rejects if there is no answer in time, or with the broker's error. */
export async function askAdmin<T>(broker: KafkaOptions, timeoutMs: number, ask: (admin: Admin) => Promise<T>) {
  const ended = new AbortController();
  const admin = createKafka({ ...broker, signal: ended.signal }).admin();
  const timeout = setTimeout(() => ended.abort(new Error('The broker does not answer')), timeoutMs);
  try {
    return await untilAborted(ended.signal, async () => {
      await admin.connect();
      return ask(admin);
    });
  } finally {
    clearTimeout(timeout);
    await disconnect(admin);
    ended.abort();
  }
}
