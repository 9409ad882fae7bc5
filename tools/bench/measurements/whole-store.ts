import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sum } from 'simple-statistics';
import { serviceNames } from '../../local/ports.ts';
import { startStore } from '../../local/store.ts';
import { figure } from '../figures.ts';
import { benchDir, type Measurement, say } from '../measurement.ts';
import { cpuDuring } from '../process-usage.ts';

/** Measures how long `make run` takes until everything is ready, for a second start: data and all tools exist. */
export const start: Measurement = {
  name: 'start',
  components: [],
  async run() {
    const options = { dir: join(benchDir, 'start'), ports: 'free' as const };
    await (await startStore(options)).stop();
    const startedAt = Date.now();
    const store = await startStore(options);
    const result = (Date.now() - startedAt) / 1000;
    await store.stop();
    return [figure('start', result, 'until everything is ready')];
  },
};

/** Time for the work after a start: first runs of jobs, compiling code, checkpoints. */
const settleSeconds = 30;
const seconds = 30;

/** Measures the cost of the whole store while nobody uses it. */
export const idle: Measurement = {
  name: 'idle',
  components: ['gateway', ...serviceNames],
  async run(store) {
    say(`measuring ${seconds} s, after ${settleSeconds} s to settle`);
    await sleep(settleSeconds * 1000);
    const used = await cpuDuring(store, () => sleep(seconds * 1000));
    const shares = used.map(([name, ms]): [string, number] => [name, ms / (seconds * 10)]);
    const measured = shares.map(([name, percent]) => `${name} ${percent.toFixed(2)}`).join(', ');
    return [figure('idle', sum(shares.map(([, percent]) => percent)), measured)];
  },
};
