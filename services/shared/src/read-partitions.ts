import { randomUUID } from 'node:crypto';
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
const longestSilenceMs = 30_000;

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

/**
 * Reads some partitions up to an end, and then is done: for commands, not for services. Of several readers with one
 * `groupId` one has all the partitions, so none of them does what another does.
 * @returns whether this reader has come to the end: false when another one of its group has taken over
 */
export async function readPartitions({ kafka, topic, ranges, onMessage, groupId }: ReadOptions): Promise<boolean> {
  const open = new Map(ranges.filter(({ start, end }) => start < end).map((range) => [range.partition, { ...range }]));
  if (open.size === 0) return true;
  const reader = kafka.consumer({
    groupId: groupId ?? `reader-${randomUUID()}`,
    maxWaitTimeInMs: 200,
    allowAutoTopicCreation: false,
    partitionAssigners: [onlyFor(topic, [...open.keys()])],
  });
  try {
    await reader.connect();
    await reader.subscribe({ topic, fromBeginning: true });
    return await new Promise<boolean>((resolve, reject) => {
      const silence = setTimeout(() => reject(new Error(`Nothing can be read from ${topic}.`)), longestSilenceMs);
      reader.on(reader.events.CRASH, ({ payload }) => reject(payload.error));
      reader.on(reader.events.GROUP_JOIN, ({ payload: { memberAssignment } }) => {
        if (!memberAssignment[topic]?.length) resolve(false);
      });
      reader.on(reader.events.DISCONNECT, () => clearTimeout(silence));
      const running = reader.run({
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
              if (offset + 1n >= range.end) open.delete(partition);
            }
          } catch (error) {
            reject(error);
            pause();
          } finally {
            clearInterval(beat);
          }
          if (open.size === 0) resolve(true);
        },
      });
      running.catch(reject);
    });
  } finally {
    await reader.disconnect();
  }
}

/** Gives the partitions to one member and nothing to the others. */
const onlyFor =
  (topic: string, partitions: number[]): PartitionAssigner =>
  () => ({
    name: 'only',
    version: 0,
    async assign({ members }) {
      const [first, ...others] = members.map(({ memberId }) => memberId).sort();
      const given = (memberId: string, assignment: Record<string, number[]>) => ({
        memberId,
        memberAssignment: AssignerProtocol.MemberAssignment.encode({
          version: 0,
          assignment,
          userData: Buffer.alloc(0),
        }),
      });
      return [...(first ? [given(first, { [topic]: partitions })] : []), ...others.map((id) => given(id, {}))];
    },
    protocol: ({ topics }) => ({
      name: 'only',
      metadata: AssignerProtocol.MemberMetadata.encode({ version: 0, topics, userData: Buffer.alloc(0) }),
    }),
  });
