import type { EachBatchPayload } from 'kafkajs';
import type { Logger } from '../../observability/log.ts';

/** Rare, because a commit costs the broker as much for one message as for many. */
const commitEveryMs = 1_000;

type Commit = EachBatchPayload['commitOffsetsIfNecessary'];

export interface Place {
  topic: string;
  partition: number;
}

export const placeOf = ({ topic, partition }: Place) => `${topic} ${partition}`;

/**
 * Collects the offsets of finished messages and commits them together, never before the work (contract 6.6): a commit costs the broker as
 * much as a message. Messages that are redelivered after a crash are recognised by their event id.
 */
export function createOffsets(log: Logger) {
  /** By place. */
  const next = new Map<string, Place & { offset: string }>();
  let commit: Commit = async () => undefined;
  let timer: NodeJS.Timeout | undefined;

  /** Commits `next`; offsets that could not be committed stay there. */
  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const committing = [...next];
    if (committing.length === 0) return;
    try {
      const topics = Map.groupBy(next.values(), ({ topic }) => topic);
      await commit({ topics: [...topics].map(([topic, partitions]) => ({ topic, partitions })) });
    } catch (error) {
      // The next owner of the partitions would handle the messages again, and skip processed events.
      log.warn({ err: error }, 'Offsets were not committed');
      return;
    }
    for (const [place, finished] of committing) if (next.get(place) === finished) next.delete(place);
  }

  /** Retries by itself, because without further messages nothing else would commit the rest. */
  async function flushAndRetry(): Promise<void> {
    await flush();
    if (next.size > 0) timer ??= setTimeout(flushAndRetry, commitEveryMs);
  }

  return {
    /** All messages up to `offset` are finished. Takes the batch's commit, because the client's ends the consumer at a rebalance. */
    done({ topic, partition }: Place, offset: string, commitOfBatch: Commit): void {
      next.set(placeOf({ topic, partition }), { topic, partition, offset: String(BigInt(offset) + 1n) });
      commit = commitOfBatch;
      timer ??= setTimeout(flushAndRetry, commitEveryMs);
    },
    /** Commits the rest once; afterwards nothing is committed. */
    async end(): Promise<void> {
      await flush();
      next.clear();
    },
    /** After a rebalance the uncommitted offsets belong to another member. */
    clear: () => next.clear(),
  };
}
