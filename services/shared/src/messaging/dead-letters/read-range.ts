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
  /** Called one message at a time, in the order of each partition; when it throws, reading ends. */
  onMessage(partition: number, message: KafkaMessage): Promise<void> | void;
  /** Whose offsets say where to go on; each moves when its message was handled. Default: nobody's. */
  groupId?: string;
}

const heartbeatMs = 3_000;
/** Nothing new for so long, though there is more to read: the broker is away. */
const longestSilenceMs = 45_000;

/** Where a topic begins and ends now. */
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

/** Of each partition the offset that a group has come to. */
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

/** A broker that was just started does not know its groups yet, which the client takes for final. */
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
 * Reads some partitions up to an end, and then is done: for commands, not for services. Of several readers with one
 * `groupId` the first has all the partitions, so that nobody does what another does.
 * @returns whether this reader has come to the end: false when another one of its group is at it
 */
export async function readPartitions({ kafka, topic, ranges, onMessage, groupId }: ReadOptions): Promise<boolean> {
  const open = new Map(ranges.filter(({ start, end }) => start < end).map((range) => [range.partition, { ...range }]));
  if (open.size === 0) return true;
  const reader = kafka.consumer({
    groupId: groupId ?? `reader-${randomUUID()}`,
    maxWaitTimeInMs: 200,
    sessionTimeout: 10_000, // a command that was killed keeps the next one waiting for so long
    rebalanceTimeout: 15_000,
    allowAutoTopicCreation: false,
    partitionAssigners: [onlyFor(topic, [...open.keys()])],
  });
  let running: Promise<void> | undefined;
  let finished = () => {};

  /** What another one has read between our look at the offsets and our turn never comes here. */
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
      const silence = setTimeout(() => reject(new Error(`Nothing can be read from ${topic}.`)), longestSilenceMs);
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
    await running?.catch(() => undefined); // the client does not leave a group that it is just joining
    await reader.disconnect();
  }
}

const { MemberAssignment, MemberMetadata } = AssignerProtocol;

/** Gives the partitions to the member that was first, and nothing to the others. */
function onlyFor(topic: string, partitions: number[]): PartitionAssigner {
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
