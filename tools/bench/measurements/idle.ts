import { setTimeout as sleep } from 'node:timers/promises';
import type { Store } from '../../local/store.ts';
import { topology } from '../../topology/topology.ts';
import type { Measurement } from '../measurement.ts';
import { familyCpuMs } from '../process-usage.ts';

/** The work that a start leaves is done by then: first looks of jobs, compiled code, checkpoints. */
const settleSeconds = 30;
const seconds = 30;
const components = ['gateway', 'postgres', 'kafka', ...topology.services.map(({ name }) => name)];

/** Measures the cost of the whole store while nobody uses it. */
export const idle: Measurement = {
  name: 'idle',
  components,
  async run({ store, log }) {
    log(`measuring ${seconds} s, after ${settleSeconds} s to settle`);
    await sleep(settleSeconds * 1000);
    const before = await cpuOf(store);
    await sleep(seconds * 1000);
    const after = await cpuOf(store);
    const shares = components
      .map((name, index): [string, number] => [name, ((after[index] ?? NaN) - (before[index] ?? NaN)) / (seconds * 10)])
      .sort(([, a], [, b]) => b - a);
    const measured = shares.map(([name, percent]) => `${name} ${percent.toFixed(2)}`).join(', ');
    const result = shares.reduce((sum, [, percent]) => sum + percent, 0);
    return [{ name: 'The whole store idle, share of a core', measured, result, unit: '%', atMost: 6 }];
  },
};

const cpuOf = (store: Store) => Promise.all(components.map((name) => familyCpuMs(store.component(name).pid())));
