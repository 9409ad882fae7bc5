import { backoff, sleep, within } from './time.ts';

interface LoopOptions {
  name: string;
  /** From the end of one round to the next; default 1 s. */
  everyMs?: number;
  /** Before the first round; default 0. */
  delayMs?: number;
  /** Pauses after failures in a row; default from 1 s to 5 s, or to `everyMs` if that is longer. */
  retry?: { firstMs: number; maxMs: number };
  /** Called after each failure; default: logs it. */
  failed?(error: unknown, failures: number): unknown;
}

export interface Log {
  warn(fields: object, sentence: string): void;
}

/**
 * A job that repeats its work until it is stopped. Several replicas may run it if the work skips rows that another replica has locked.
 * @param work one round, short enough for `stop` to wait for; returns true if there is more to do at once. Retried if it fails.
 */
export const loop = (
  {
    name,
    everyMs = 1_000,
    delayMs = 0,
    retry = { firstMs: 1_000, maxMs: Math.max(5_000, everyMs) },
    failed,
  }: LoopOptions,
  work: () => Promise<unknown>,
) => ({
  start(log: Log) {
    const stopping = new AbortController();
    const { signal } = stopping;
    let waking = Promise.withResolvers<void>();

    async function run(): Promise<void> {
      if (delayMs > 0) await sleep(delayMs, signal);
      for (let failures = 0; !signal.aborted; ) {
        waking = Promise.withResolvers();
        try {
          const isMore = (await work()) === true;
          failures = 0;
          if (!isMore && !signal.aborted) await within(everyMs, waking.promise);
        } catch (error) {
          failures += 1;
          if (failed) failed(error, failures);
          else log.warn({ err: error, job: name, failures }, 'A job failed and will be retried');
          await sleep(backoff(failures, retry), signal);
        }
      }
    }
    const ended = run();

    return {
      name,
      /** Begins the next round at once, or after the current one; does not shorten a pause after a failure. */
      wake: (): void => waking.resolve(),
      /** Finishes the round in flight. */
      async stop(): Promise<void> {
        stopping.abort();
        waking.resolve();
        await ended;
      },
    };
  },
});
