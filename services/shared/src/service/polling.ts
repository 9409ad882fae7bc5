import { setTimeout as wait } from 'node:timers/promises';
import type { Job } from './service.ts';

const pollMs = 1_000;
const longestPauseMs = 5_000;
/** Few enough to keep a transaction short. */
const batchSize = 100;

/**
 * A job that looks every second for work, and at once again while there is more. Several replicas may run it if `work`
 * skips what another one holds.
 * @param sentence logged with the `count` of what was done, unless that is 0
 * @param work does at most `limit` pieces of work and returns how many it did; if it fails, it is retried
 */
export const polling = (name: string, sentence: string, work: (limit: number) => Promise<number>): Job => ({
  name,
  start(log) {
    const stopping = new AbortController();
    const { signal } = stopping;

    async function run(): Promise<void> {
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
        const pauseMs = Math.min(pollMs * 2 ** Math.min(failures, 10), longestPauseMs);
        await wait(pauseMs, undefined, { signal }).catch(() => undefined);
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
