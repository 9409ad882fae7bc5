import { setTimeout as wait } from 'node:timers/promises';
import type { Job } from './service.ts';

const longestPauseMs = 5_000;
/** Few enough to keep a transaction short. */
const batchSize = 100;

interface Polling {
  name: string;
  /** Logged with the `count` of what was done, unless that is 0. Not for work that only looks. */
  sentence?: string;
  /** Does at most `limit` pieces of work and returns how many it did; if it fails, it is retried. */
  work(limit: number): Promise<number>;
  /** Before the first look; default 0. */
  delayMs?: number;
  /** From one look to the next; default 1 s. */
  everyMs?: number;
}

/**
 * A job that looks again and again for work, at once while there is more. Several replicas may run it if `work`
 * skips what another one holds.
 */
export const polling = ({ name, sentence, work, delayMs = 0, everyMs = 1_000 }: Polling): Job => ({
  name,
  start(log) {
    const stopping = new AbortController();
    const { signal } = stopping;
    const pause = (ms: number) => wait(ms, undefined, { signal }).catch(() => undefined);

    async function run(): Promise<void> {
      if (delayMs > 0) await pause(delayMs);
      for (let failures = 0; !signal.aborted; ) {
        try {
          const count = await work(batchSize);
          failures = 0;
          if (count > 0) log.info({ job: name, count }, sentence);
          if (count === batchSize) continue;
        } catch (error) {
          failures += 1;
          log.warn({ err: error, job: name, failures }, 'A job was interrupted and is retried');
        }
        await pause(failures === 0 ? everyMs : Math.min(500 * 2 ** Math.min(failures, 10), longestPauseMs));
      }
    }
    const ended = run();

    return {
      /** Finishes the batch in flight. */
      async stop() {
        stopping.abort();
        await ended;
      },
    };
  },
});
