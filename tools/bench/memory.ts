import { serviceNames } from '../local/ports.ts';
import type { Store } from '../local/store.ts';
import { rssMib } from './measure.ts';
import type { Row } from './table.ts';

/** What the services that were measured have resident now. */
export async function memory(store: Store): Promise<Row[]> {
  const rows: Row[] = [];
  for (const name of serviceNames.filter(store.has)) {
    const result = await rssMib(store.part(name).pid());
    rows.push({ what: `Memory of ${name} afterwards`, measured: 'resident', result, unit: 'MiB', atMost: 150 });
  }
  return rows;
}
