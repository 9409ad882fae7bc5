import { availableParallelism, cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import type { Store, StoreOptions } from '../local/store.ts';
import { cacheDir, root } from '../paths.ts';
import type { Row } from './figures.ts';

/** Everything that the bench leaves behind. */
export const benchDir = join(cacheDir, 'bench');
export const logDir = join(benchDir, 'log');

/** A measurement, which begins with an empty store. */
export interface Measurement {
  name: string;
  components: string[];
  env?: Record<string, string>;
  gateway?: StoreOptions['gateway'];
  /** It measures memory itself. */
  measuresMemory?: true;
  /** Its duration, if it runs only when ONLY names it. */
  takes?: string;
  run(store: Store): Promise<Row[]>;
}

const many = { perSecond: 1_000_000, burst: 1_000_000 };

/** Values of a gateway without rate limits. */
export const unlimited = { limits: { requests: many, credentials: many, catalogue: many } };

/** Reports progress on standard error, because standard output has only the table. */
export const say = (line: string) => console.error(line);

/** The conditions of a figure: the commit that is checked out, with `-dirty` if files differ from it, and the machine. */
export async function conditions(): Promise<string> {
  const args = ['describe', '--always', '--dirty', '--abbrev=12', '--exclude=*'];
  const { stdout: commit } = await execa('git', args, { cwd: root });
  const processor = `${availableParallelism()} × ${cpus()[0]?.model ?? 'unknown'}`;
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  return `commit \`${commit}\`: ${processor}, ${memory}, Node ${process.versions.node}`;
}
