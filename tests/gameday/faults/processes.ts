import { setTimeout as wait } from 'node:timers/promises';
import type { Fault } from './fault.ts';

const stopAndPauseMs = [1_500, 150] as const;

/** Faults of processes. */
export const processFaults: Fault[] = [
  {
    name: 'status and payment stop: requests are 503, and orders time out',
    alerts: ['StoreAvailabilityBudget', 'StoreConfirmationBudget'],
    clearsLate: true,
    async inject({ store }) {
      const stopped = ['status', 'payment'].map(store.component);
      await Promise.all(stopped.map((component) => component.stop()));
      return () => Promise.all(stopped.map((component) => component.restart()));
    },
  },
  {
    name: 'payment stops',
    alerts: ['StoreComponentUnavailable', 'StoreOrdersTimedOut', 'StoreConsumerStuck'],
    async inject({ store }) {
      await store.component('payment').stop();
      return () => store.component('payment').restart();
    },
  },
  {
    name: 'product is paused again and again for a second and a half',
    alerts: ['StoreSlow'],
    async inject({ store }) {
      const [stoppedMs, pauseMs] = stopAndPauseMs;
      const mended = new AbortController();
      const product = store.component('product');
      const pausing = (async () => {
        while (!mended.signal.aborted) {
          product.kill('SIGSTOP');
          await wait(stoppedMs);
          product.kill('SIGCONT');
          await wait(pauseMs);
        }
      })();
      return async () => {
        mended.abort();
        await pausing;
      };
    },
  },
];
