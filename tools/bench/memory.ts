import { serviceNames } from '../local/ports.ts';
import type { Store } from '../local/store.ts';
import { residentMib } from './process-usage.ts';
import type { Row } from './report.ts';

const wantedMib: Record<string, number> = { order: 110, notification: 110 };

/** Resident memory of each service after the measurement that left it largest, and its peak until then. */
export function createMemory() {
  const largest = new Map<string, { now: number; peak: number; after: string }>();
  return {
    async record(store: Store, after: string): Promise<void> {
      for (const name of serviceNames.filter((name) => store.has(name) && store.component(name).running())) {
        const { now, peak } = await residentMib(store.component(name).pid());
        if (now > (largest.get(name)?.now ?? 0)) largest.set(name, { now, peak, after });
      }
    },
    rows: (): Row[] =>
      [...largest].map(([name, { now, peak, after }]) => ({
        name: `Memory of ${name}`,
        measured: `resident after ${after}; peak ${peak.toFixed()} MiB`,
        ...{ result: now, unit: 'MiB', atMost: wantedMib[name] ?? 150 },
      })),
  };
}
