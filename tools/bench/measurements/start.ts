import { join } from 'node:path';
import { startStore } from '../../local/store.ts';
import { benchDir } from '../measurement.ts';
import type { Row } from '../report.ts';

/** How long `make run` takes until all is ready: a second start, when there is data and everything is fetched. */
export async function start(say: (line: string) => void): Promise<Row> {
  const options = { dir: join(benchDir, 'start'), ports: 'free' as const };
  await (await startStore(options)).stop();
  const began = Date.now();
  const store = await startStore({ ...options, log: say });
  const result = (Date.now() - began) / 1000;
  await store.stop();
  return { what: 'Start of the whole store', measured: 'until all is ready', result, unit: 's', atMost: 20 };
}
