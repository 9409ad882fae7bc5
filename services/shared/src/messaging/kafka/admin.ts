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

/** Asks for the lag of groups. */
export async function lagsOf(admin: Admin, topics: string[], groups: string[]): Promise<Lag[]> {
  const ends = await Promise.all(topics.map(async (topic) => [topic, await admin.fetchTopicOffsets(topic)] as const));
  const perGroup = groups.map(async (group) => {
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
}

/** Finds the groups without a member among those that the broker shows whose names end with `ending`, such as `-group`. */
export async function groupsWithoutMembers(admin: Admin, ending: string): Promise<string[]> {
  const shown = await admin.listGroups();
  const names = shown.groups.map(({ groupId }) => groupId).filter((name) => name.endsWith(ending));
  const { groups } = await admin.describeGroups(names);
  return groups.filter(({ members }) => members.length === 0).map(({ groupId }) => groupId);
}

/** For rare requests that are harmless to repeat. */
const defaultTimeoutMs = 30_000;
/** As long as the broker may delay an answer on purpose. */
const probeTimeoutMs = 10_000;
/** The offset if a group has committed nothing of a partition. */
const never = '-1';

/**
 * Asks the broker with the same client for as long as it answers, since connecting costs more than most requests. After a failure the
 * next request gets a new client.
 */
export function keepAdmin(broker: KafkaOptions, timeoutMs: number) {
  let current: ReturnType<typeof open> | undefined;

  function open() {
    const ended = new AbortController();
    const admin = createKafka({ ...broker, signal: ended.signal }).admin();
    return { admin, ended, connected: admin.connect() };
  }

  async function close(client: ReturnType<typeof open>): Promise<void> {
    if (current === client) current = undefined;
    await disconnect(client.admin);
    client.ended.abort();
  }

  return {
    /** Rejects if there is no answer in time, or with the broker's error. */
    async ask<T>(work: (admin: Admin) => Promise<T>): Promise<T> {
      current ??= open();
      const client = current;
      const { admin, ended, connected } = client;
      const timeout = setTimeout(() => ended.abort(new Error('The broker does not answer')), timeoutMs);
      try {
        return await untilAborted(ended.signal, async () => {
          await connected;
          return work(admin);
        });
      } catch (error) {
        await close(client);
        throw error;
      } finally {
        clearTimeout(timeout);
      }
    },
    async close(): Promise<void> {
      if (current !== undefined) await close(current);
    },
  };
}

/** Asks the broker with a new client. Rejects if there is no answer in time, or with the broker's error. */
export async function askAdmin<T>(broker: KafkaOptions, timeoutMs: number, ask: (admin: Admin) => Promise<T>) {
  const admin = keepAdmin(broker, timeoutMs);
  try {
    return await admin.ask(ask);
  } finally {
    await admin.close();
  }
}
