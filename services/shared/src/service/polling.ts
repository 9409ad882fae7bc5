import { backoff, sleep } from '../values/time.ts';
import type { Job } from './service.ts';

const longestPauseMs = 5_000;
interface Polling {
  name: string;
  /** Logged with the `count` of what was done, unless that is 0. Not for work that only looks. */
  sentence?: string;
  /** How many pieces of work at a time; default 100, few enough to keep a transaction short. */
  limit?: number;
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
export const polling = ({ name, sentence, limit = 100, work, delayMs = 0, everyMs = 1_000 }: Polling): Job => ({
  name,
  start(log) {
    const stopping = new AbortController();
    const { signal } = stopping;

    async function run(): Promise<void> {
      if (delayMs > 0) await sleep(delayMs, signal);
      for (let failures = 0; !signal.aborted; ) {
        try {
          const count = await work(limit);
          failures = 0;
          if (count > 0 && sentence) log.info({ job: name, count }, sentence);
          if (count === limit) continue;
        } catch (error) {
          failures += 1;
          log.warn({ err: error, job: name, failures }, 'A job was interrupted and is retried');
        }
        await sleep(failures === 0 ? everyMs : backoff(failures, { firstMs: 1_000, maxMs: longestPauseMs }), signal);
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
