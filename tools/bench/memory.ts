import { serviceNames } from '../local/ports.ts';
import type { Store } from '../local/store.ts';
import { residentMib } from './rates.ts';
import type { Row } from './report.ts';

/** What each service has resident after a measurement, and the most that it had meanwhile; of the measurement that leaves most. */
export function createMemory() {
  const most = new Map<string, { now: number; peak: number; after: string }>();
  return {
    async note(store: Store, after: string): Promise<void> {
      for (const name of serviceNames.filter(store.has)) {
        const { now, peak } = await residentMib(store.component(name).pid());
        if (now > (most.get(name)?.now ?? 0)) most.set(name, { now, peak, after });
      }
    },
    rows: (): Row[] =>
      [...most].map(([name, { now, peak, after }]) => ({
        what: `Memory of ${name}`,
        measured: `resident after ${after}; at the most ${peak.toFixed()} MiB`,
        ...{ result: now, unit: 'MiB', atMost: 150 },
      })),
  };
}
