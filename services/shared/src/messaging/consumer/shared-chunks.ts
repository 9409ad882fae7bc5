import type { Logger } from '../../observability/log.ts';
import { within } from '../../values/time.ts';
import type { StoreEvent } from '../events.ts';
import type { Outcome } from './process.ts';

/** The next chunk waits this long for the one in flight, which may hang at a lock or a provider. */
const nextChunkAfterMs = 100;

/** Consecutive events of one partition. */
interface Part {
  events: StoreEvent[];
  signal: AbortSignal;
  resolve(outcomes: Map<StoreEvent, Outcome>): void;
}

interface SharedChunks {
  chunkSize: number;
  /** Returns an outcome per event, in the order of the events. */
  process(events: StoreEvent[]): Promise<Outcome[]>;
  log: Logger;
}

/**
 * Lets the partitions of a consumer share chunks. One chunk is in flight, and events that arrive in the meantime form the next, so
 * chunks grow with the load. A full chunk is begun at once.
 * @returns a function that processes consecutive events of a partition together with other partitions', and resolves with their
 *   outcomes. There are none if the events must be processed alone: their chunk failed, had only one event, or the partition was lost
 */
export function createSharedChunks({ chunkSize, process, log }: SharedChunks) {
  const waiting: Part[] = [];
  let inFlight = 0;

  function startChunks(): void {
    while (waiting.length > 0 && (inFlight === 0 || countOf(waiting) >= chunkSize)) {
      inFlight += 1;
      within(nextChunkAfterMs, processChunk(takeChunk())).then(() => {
        inFlight -= 1;
        startChunks();
      });
    }
  }

  /** Takes whole parts, together at most `chunkSize` events; parts of a lost partition are not begun. */
  function takeChunk(): Part[] {
    const chunk: Part[] = [];
    for (let part = waiting[0]; part !== undefined; part = waiting[0]) {
      if (chunk.length > 0 && countOf(chunk) + part.events.length > chunkSize) break;
      waiting.shift();
      if (part.signal.aborted) part.resolve(new Map());
      else chunk.push(part);
    }
    return chunk;
  }

  async function processChunk(chunk: Part[]): Promise<void> {
    const events = chunk.flatMap((part) => part.events);
    const outcomes = events.length > 1 ? await process(events).catch(chunkFailed) : [];
    const known = new Map(outcomes.map((outcome, index) => [events[index] as StoreEvent, outcome]));
    for (const { resolve } of chunk) resolve(known);
  }

  function chunkFailed(err: unknown): Outcome[] {
    log.debug({ err }, 'A chunk failed, its events are processed one by one');
    return [];
  }

  return (events: StoreEvent[], signal: AbortSignal) =>
    new Promise<Map<StoreEvent, Outcome>>((resolve) => {
      waiting.push({ events, signal, resolve });
      setImmediate(startChunks); // the batches of one fetch arrive one after another
    });
}

const countOf = (parts: Part[]) => parts.reduce((sum, { events }) => sum + events.length, 0);
