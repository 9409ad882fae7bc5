import { join } from 'node:path';
import { startStore } from '../../local/store.ts';
import { benchDir, type Measurement } from '../measurement.ts';

/** Measures how long `make run` takes until everything is ready: a second start, with data and all tools there. */
export const start: Measurement = {
  name: 'start',
  components: [],
  async run({ log }) {
    const options = { dir: join(benchDir, 'start'), ports: 'free' as const };
    await (await startStore(options)).stop();
    const startedAt = Date.now();
    const store = await startStore({ ...options, log });
    const result = (Date.now() - startedAt) / 1000;
    await store.stop();
    return [{ name: 'Start of the whole store', measured: 'until everything is ready', result, unit: 's', atMost: 20 }];
  },
};
