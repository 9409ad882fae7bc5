import { setTimeout as wait } from 'node:timers/promises';
import type { Job } from './service.ts';

const pollMs = 1_000;
const longestPauseMs = 5_000;
/** Few enough to keep the transaction short. */
const batchSize = 100;

/**
 * Ships due orders, polling every second. Several replicas may run it at once.
 * @param shipDue ships at most `limit` orders and returns how many
 */
export const createShipper = (shipDue: (limit: number) => Promise<number>): Job => ({
  name: 'shipper',
  start(log) {
    const stopping = new AbortController();
    const { signal } = stopping;

    async function run(): Promise<void> {
      for (let failures = 0; !signal.aborted; ) {
        try {
          const shipped = await shipDue(batchSize);
          failures = 0;
          if (shipped > 0) log.info({ orders: shipped }, 'Orders were shipped');
          if (shipped === batchSize) continue;
        } catch (error) {
          failures += 1;
          log.warn({ err: error, failures }, 'Shipping was interrupted and is retried');
        }
        const pauseMs = Math.min(pollMs * 2 ** Math.min(failures, 10), longestPauseMs);
        await wait(pauseMs, undefined, { signal }).catch(() => undefined);
      }
    }
    const ended = run();

    return {
      /** Finishes the orders in flight. */
      async stop() {
        stopping.abort();
        await ended;
      },
    };
  },
});
