import { setTimeout as sleep } from 'node:timers/promises';
import { topology } from '../../topology/topology.ts';
import type { Measurement } from '../measurement.ts';
import { cpuOf } from '../process-usage.ts';

/** The work that a start leaves is done by then: first looks of jobs, compiled code, checkpoints. */
const settleSeconds = 30;
const seconds = 30;

/** Measures the cost of the whole store while nobody uses it. */
export const idle: Measurement = {
  name: 'idle',
  components: ['gateway', ...topology.services.map(({ name }) => name)],
  async run({ store, log }) {
    log(`measuring ${seconds} s, after ${settleSeconds} s to settle`);
    await sleep(settleSeconds * 1000);
    const before = await cpuOf(store);
    await sleep(seconds * 1000);
    const shares = [...(await cpuOf(store))]
      .map(([name, ms]): [string, number] => [name, (ms - (before.get(name) ?? NaN)) / (seconds * 10)])
      .sort(([, a], [, b]) => b - a);
    const measured = shares.map(([name, percent]) => `${name} ${percent.toFixed(2)}`).join(', ');
    const result = shares.reduce((sum, [, percent]) => sum + percent, 0);
    return [{ name: 'The whole store idle, share of a core', measured, result, unit: '%', atMost: 6 }];
  },
};
