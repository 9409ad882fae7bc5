import { serviceNames } from '../local/ports.ts';
import type { Store } from '../local/store.ts';
import { peakMib } from './measure.ts';
import type { Row } from './table.ts';

/** The most that each service had resident in any measurement, the load of which was running or just over. */
export function createMemory() {
  const most = new Map<string, { mib: number; during: string }>();
  return {
    async note(store: Store, during: string): Promise<void> {
      for (const name of serviceNames.filter(store.has)) {
        const mib = await peakMib(store.part(name).pid());
        if (mib > (most.get(name)?.mib ?? 0)) most.set(name, { mib, during });
      }
    },
    rows: (): Row[] =>
      [...most].map(([name, { mib, during }]) => ({
        what: `Memory of ${name}`,
        measured: `the most that was resident, under the load of ${during}`,
        ...{ result: mib, unit: 'MiB', atMost: 150 },
      })),
  };
}
