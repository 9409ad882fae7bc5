import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { AssignerProtocol, type Kafka, type KafkaMessage, type PartitionAssigner } from 'kafkajs';

/** Offsets of a partition, `end` not included. */
export interface OffsetRange {
  partition: number;
  start: bigint;
  end: bigint;
}

export interface ReadOptions {
  kafka: Kafka;
  topic: string;
  ranges: OffsetRange[];
  /** Called with one message at a time, in the order of each partition; reading ends when it throws. */
  onMessage(partition: number, message: KafkaMessage): Promise<void> | void;
  /** Commits the offset of each handled message for this group. Default: no offsets are committed. */
  groupId?: string;
}

const heartbeatMs = 3_000;
/** Without a message for this long although there is more to read, the broker counts as unavailable. */
const longestSilenceMs = 45_000;

/** The present offsets of a topic. */
export async function topicRanges(kafka: Kafka, topic: string): Promise<OffsetRange[]> {
  const admin = kafka.admin();
  try {
    await admin.connect();
    const offsets = await admin.fetchTopicOffsets(topic);
    return offsets.map(({ partition, low, high }) => ({ partition, start: BigInt(low), end: BigInt(high) }));
  } finally {
    await admin.disconnect();
  }
}

/** By partition, the offset that a group has committed. */
export async function committedOffsets(kafka: Kafka, groupId: string, topic: string): Promise<Map<number, bigint>> {
  const admin = kafka.admin();
  try {
    await admin.connect();
    const [offsets] = await whenLoaded(() => admin.fetchOffsets({ groupId, topics: [topic] }));
    return new Map(offsets?.partitions.map(({ partition, offset }) => [partition, BigInt(offset)]));
  } finally {
    await admin.disconnect();
  }
}

/** A broker that has just started does not know its groups yet, which kafkajs treats as final. */
async function whenLoaded<T>(work: () => Promise<T>, tries = 20): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { type } = error as { type?: string };
    if (tries === 0 || !/COORDINATOR|LOAD_IN_PROGRESS/.test(type ?? '')) throw error;
    await wait(250);
    return whenLoaded(work, tries - 1);
  }
}

/**
 * Reads ranges of partitions and ends: for commands, not for services. Of several readers with one `groupId` the first
 * gets all partitions, so that no message is handled twice.
 * @returns false if another reader of the group has the partitions
 */
export async function readRanges({ kafka, topic, ranges, onMessage, groupId }: ReadOptions): Promise<boolean> {
  const open = new Map(ranges.filter(({ start, end }) => start < end).map((range) => [range.partition, { ...range }]));
  if (open.size === 0) return true;
  const reader = kafka.consumer({
    groupId: groupId ?? `reader-${randomUUID()}`,
    maxWaitTimeInMs: 200,
    sessionTimeout: 10_000, // after a killed command the next one waits this long
    rebalanceTimeout: 15_000,
    allowAutoTopicCreation: false,
    partitionAssigners: [assignToFirst(topic, [...open.keys()])],
  });
  let running: Promise<void> | undefined;
  let finished = () => {};

  /** Messages that another reader handled between our look at the offsets and our assignment never arrive here. */
  async function skipCommitted(groupId: string): Promise<void> {
    for (const [partition, offset] of await committedOffsets(kafka, groupId, topic)) {
      if (offset >= (open.get(partition)?.end ?? offset + 1n)) open.delete(partition);
    }
    if (open.size === 0) finished();
  }

  try {
    await reader.connect();
    await reader.subscribe({ topic, fromBeginning: true });
    return await new Promise<boolean>((resolve, reject) => {
      finished = () => resolve(true);
      const silence = setTimeout(() => reject(new Error(`Timed out reading ${topic}.`)), longestSilenceMs);
      reader.on(reader.events.CRASH, ({ payload }) => reject(payload.error));
      reader.on(reader.events.GROUP_JOIN, ({ payload: { memberAssignment } }) => {
        silence.refresh();
        if (!memberAssignment[topic]?.length) resolve(false);
        else if (groupId !== undefined) skipCommitted(groupId).catch(reject);
      });
      reader.on(reader.events.DISCONNECT, () => clearTimeout(silence));
      running = reader.run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        eachBatch: async ({ batch, heartbeat, pause, resolveOffset, commitOffsetsIfNecessary, isRunning }) => {
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
                range.start = offset + 1n;
                const partitions = [{ partition, offset: String(range.start) }];
                if (groupId !== undefined) await commitOffsetsIfNecessary({ topics: [{ topic, partitions }] });
              }
              resolveOffset(message.offset);
              if (offset + 1n < range.end) continue;
              open.delete(partition);
              if (open.size === 0) finished();
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

const { MemberAssignment, MemberMetadata } = AssignerProtocol;

/** Assigns all partitions to the member that joined first and none to the others. */
function assignToFirst(topic: string, partitions: number[]): PartitionAssigner {
  const since = String(Date.now());
  return () => ({
    name: 'only',
    version: 0,
    async assign({ members }) {
      const bySeniority = members
        .map(({ memberId, memberMetadata }) => ({
          memberId,
          rank: `${MemberMetadata.decode(memberMetadata)?.userData} ${memberId}`,
        }))
        .sort((a, b) => (a.rank < b.rank ? -1 : 1));
      return bySeniority.map(({ memberId }, index) => ({
        memberId,
        memberAssignment: MemberAssignment.encode({
          ...{ version: 0, userData: Buffer.alloc(0) },
          assignment: index === 0 ? { [topic]: partitions } : {},
        }),
      }));
    },
    protocol: ({ topics }) => ({
      name: 'only',
      metadata: MemberMetadata.encode({ version: 0, topics, userData: Buffer.from(since) }),
    }),
  });
}
