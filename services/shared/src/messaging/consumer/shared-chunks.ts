import type { Logger } from '../../observability/log.ts';
import { within } from '../../values/time.ts';
import type { StoreEvent } from '../events.ts';
import { patienceMs } from '../times.ts';
import type { Refused } from './handle-once.ts';

/** Consecutive events of one partition. */
interface Part {
  events: StoreEvent[];
  signal: AbortSignal;
  settle(refused: Refused | undefined): void;
}

/**
 * Processes consecutive events of a partition, together with those of others.
 * @returns undefined if nothing is known of them: the caller handles them one by one. So it does with a single event.
 */
export type ProcessTogether = (events: StoreEvent[], signal: AbortSignal) => Promise<Refused | undefined>;

/**
 * Lets the partitions of a consumer share chunks: one is in flight, and what arrives meanwhile is the next, so that chunks
 * grow with the load. A full chunk is begun at once. If a chunk fails, the events of each partition are processed by
 * themselves, so that a partition whose events cannot be processed holds up no other.
 */
export function createSharedChunks(
  { chunkSize, process }: { chunkSize: number; process(events: StoreEvent[]): Promise<Refused> },
  log: Logger,
): ProcessTogether {
  const waiting: Part[] = [];
  let inFlight = 0;

  function startChunks(): void {
    while (waiting.length > 0 && (inFlight === 0 || countOf(waiting) >= chunkSize)) {
      inFlight += 1;
      // A chunk that takes longer, for example because it waits for a lock, holds up no further one.
      within(patienceMs, processChunk(takeChunk())).then(() => {
        inFlight -= 1;
        startChunks();
      });
    }
  }

  /** Whole parts, of at most `chunkSize` events; a lost partition's are not begun. */
  function takeChunk(): Part[] {
    const chunk: Part[] = [];
    for (let part = waiting[0]; part !== undefined; part = waiting[0]) {
      if (chunk.length > 0 && countOf(chunk) + part.events.length > chunkSize) break;
      waiting.shift();
      if (part.signal.aborted) part.settle(undefined);
      else chunk.push(part);
    }
    return chunk;
  }

  async function processChunk(chunk: Part[]): Promise<void> {
    const events = chunk.flatMap((part) => part.events);
    if (events.length < 2) return settle(chunk, undefined);
    try {
      settle(chunk, await process(events));
    } catch (error) {
      log.debug({ err: error, events: events.length, partitions: chunk.length }, 'A chunk failed and is divided');
      if (chunk.length === 1) return settle(chunk, undefined);
      await Promise.all(chunk.map((part) => processChunk([part])));
    }
  }

  return (events, signal) =>
    new Promise((settle) => {
      waiting.push({ events, signal, settle });
      setImmediate(startChunks); // the batches of one fetch arrive one after the other
    });
}

const countOf = (parts: Part[]) => parts.reduce((sum, { events }) => sum + events.length, 0);

const settle = (parts: Part[], refused: Refused | undefined) => {
  for (const part of parts) part.settle(refused);
};
