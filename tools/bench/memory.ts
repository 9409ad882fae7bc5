import { serviceNames } from '../local/ports.ts';
import type { Store } from '../local/store.ts';
import { residentMib } from './process-usage.ts';
import type { Row } from './report.ts';

const wantedMib = 110;

/** Memory of each service after the measurement that left it largest: its own, and with Node's program, which all of a node share. */
export function createMemory() {
  const largest = new Map<string, { now: number; peak: number; own: number; after: string }>();
  return {
    async record(store: Store, after: string): Promise<void> {
      for (const name of serviceNames.filter((name) => store.has(name) && store.component(name).running())) {
        const memory = await residentMib(store.component(name).pid());
        if (memory.own > (largest.get(name)?.own ?? 0)) largest.set(name, { ...memory, after });
      }
    },
    rows: (): Row[] =>
      [...largest].map(([name, { now, peak, own, after }]) => ({
        name: `Memory of ${name} of its own`,
        measured: `after ${after}; with Node's program ${now.toFixed()} MiB, peak ${peak.toFixed()} MiB`,
        result: own,
        unit: 'MiB',
        atMost: wantedMib,
      })),
  };
}
