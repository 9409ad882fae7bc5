import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from '@store/shared/observability/log';

const lookEveryMs = 1_000;
const longestWaitMs = 5_000;
/** Few enough that a transaction stays short. */
const atOnce = 100;

interface ShipperOptions {
  /** Ships what is due, at most so many orders; says how many. */
  shipDue(limit: number): Promise<number>;
  log: Logger;
}

export interface Shipper {
  /** Ends after the orders under way. */
  stop(): Promise<void>;
}

/** Looks every second for orders that are to leave. Several at a time are no harm. */
export function startShipper({ shipDue, log }: ShipperOptions): Shipper {
  const stopping = new AbortController();
  const { signal } = stopping;

  async function run(): Promise<void> {
    for (let failures = 0; !signal.aborted; ) {
      try {
        const shipped = await shipDue(atOnce);
        failures = 0;
        if (shipped > 0) log.info({ orders: shipped }, 'Orders were shipped');
        if (shipped === atOnce) continue;
      } catch (error) {
        failures += 1;
        log.warn({ err: error, failures }, 'Shipping was interrupted and tries again');
      }
      const pauseMs = Math.min(lookEveryMs * 2 ** Math.min(failures, 10), longestWaitMs);
      await wait(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }
  const ended = run();

  return {
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}
