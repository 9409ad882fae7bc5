import type { EachBatchPayload } from 'kafkajs';
import type { Logger } from '../../observability/log.ts';

/**
 * A commit costs the broker as much as a message, so offsets are committed together. What a crash delivers again is
 * recognised by its event id.
 */
const commitEveryMs = 200;

type Commit = EachBatchPayload['commitOffsetsIfNecessary'];

export type Offsets = ReturnType<typeof createOffsets>;

/** Collects the offsets of finished messages and commits them periodically, never before the work (contract 6.6). */
export function createOffsets(topic: string, log: Logger) {
  const next = new Map<number, string>();
  let commit: Commit = async () => undefined;
  let timer: NodeJS.Timeout | undefined;

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const partitions = [...next].map(([partition, offset]) => ({ partition, offset }));
    next.clear();
    if (partitions.length === 0) return;
    // If this fails, the next owner of the partitions handles the messages again and skips processed events.
    await commit({ topics: [{ topic, partitions }] }).catch((error: unknown) =>
      log.warn({ err: error }, 'Offsets were not committed'),
    );
  }

  return {
    /**
     * Everything of a partition up to `offset` is finished.
     * @param commitOfBatch of the batch: the commit of the client itself would end the consumer at a rebalance
     */
    done(partition: number, offset: string, commitOfBatch: Commit): void {
      next.set(partition, String(BigInt(offset) + 1n));
      commit = commitOfBatch;
      timer ??= setTimeout(flush, commitEveryMs);
    },
    flush,
    /** After a rebalance the uncommitted offsets belong to another member. */
    clear: () => next.clear(),
  };
}
