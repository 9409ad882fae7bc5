import { join } from 'node:path';
import { startStore } from '../../local/store.ts';
import { benchDir, type Log } from '../measurement.ts';
import type { Row } from '../report.ts';

/** How long `make run` takes until everything is ready: a second start, with data and all tools there. */
export async function start(log: Log): Promise<Row> {
  const options = { dir: join(benchDir, 'start'), ports: 'free' as const };
  await (await startStore(options)).stop();
  const startedAt = Date.now();
  const store = await startStore({ ...options, log });
  const result = (Date.now() - startedAt) / 1000;
  await store.stop();
  return { name: 'Start of the whole store', measured: 'until everything is ready', result, unit: 's', atMost: 20 };
}
