import { setTimeout as wait } from 'node:timers/promises';
import type { Stage } from '../stage.ts';

/** Something that breaks, and the alerts that have to say so. */
export interface Fault {
  name: string;
  /** One alert of each severity. */
  alerts: string[];
  /** Breaks it. @returns what mends it */
  inject(stage: Stage): Promise<() => Promise<unknown>>;
  /** The windows of its alerts are hours long: other faults follow before they clear. */
  clearsLate?: true;
  needsExporter?: true;
}

/** Stops components. */
export const stopping =
  (...names: string[]): Fault['inject'] =>
  async ({ store }) => {
    const stopped = names.map(store.component);
    await Promise.all(stopped.map((component) => component.stop()));
    return () => Promise.all(stopped.map((component) => component.restart()));
  };

/** Faults of processes. */
export const processFaults: Fault[] = [
  {
    name: 'status and payment stop: requests are 503, and orders time out',
    alerts: ['StoreAvailabilityBudget', 'StoreConfirmationBudget'],
    clearsLate: true,
    inject: stopping('status', 'payment'),
  },
  {
    name: 'payment stops',
    alerts: ['StoreComponentUnavailable', 'StoreOrdersTimedOut', 'StoreConsumerStuck'],
    inject: stopping('payment'),
  },
  {
    name: 'product is paused again and again for a second and a half',
    alerts: ['StoreSlow'],
    async inject({ store }) {
      const mended = new AbortController();
      const product = store.component('product');
      const pausing = (async () => {
        while (!mended.signal.aborted) {
          product.kill('SIGSTOP');
          await wait(1_500);
          product.kill('SIGCONT');
          await wait(150);
        }
      })();
      return () => {
        mended.abort();
        return pausing;
      };
    },
  },
];
