import { join } from 'node:path';
import type { ComponentName, Store, StoreOptions } from '../local/store.ts';
import { cacheDir } from '../paths.ts';
import type { Row } from './report.ts';

/** Everything that the bench leaves behind. */
export const benchDir = join(cacheDir, 'bench');
export const logDir = join(benchDir, 'log');

export type Log = (line: string) => void;

/** Begins with an empty store. */
export interface Measurement {
  name: string;
  /** Components that have to run for it. */
  components: ComponentName[];
  /** Overrides the environment of the bench for its services. */
  env?: Record<string, string>;
  gateway?: StoreOptions['gateway'];
  /** It has a figure of its own for memory. */
  measuresMemory?: true;
  /** Its duration, for one that is run only if ONLY names it. */
  takes?: string;
  run(bench: { store: Store; log: Log }): Promise<Row[]>;
}
