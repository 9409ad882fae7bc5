import type { EachBatchPayload } from 'kafkajs';
import type { Logger } from '../../observability/log.ts';

/**
 * A commit costs the broker as much as a message, so offsets go together. What a crash brings again is known by its
 * event id.
 */
const commitEveryMs = 200;

type Commit = EachBatchPayload['commitOffsetsIfNecessary'];

export type Offsets = ReturnType<typeof createOffsets>;

/** Remembers what a consumer is done with, and commits it now and then: after the effects, never before (spec: Events, rule 3). */
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
    // Who has the partitions by now, or this consumer after the next fetch, handles again and skips what is known.
    await commit({ topics: [{ topic, partitions }] }).catch((error: unknown) =>
      log.warn({ err: error }, 'Offsets were not committed'),
    );
  }

  return {
    /** Everything of a partition up to `offset` is done with. `using`: of the batch; the client's own commit would end it at a rebalance. */
    done(partition: number, offset: string, using: Commit): void {
      next.set(partition, String(BigInt(offset) + 1n));
      commit = using;
      timer ??= setTimeout(flush, commitEveryMs);
    },
    flush,
    /** What is not committed yet is somebody else's now. */
    forget: () => next.clear(),
  };
}
