import { rm } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { Option } from 'commander';
import { messageOf } from '../../services/shared/src/values/errors.ts';
import { serviceNames } from '../local/ports.ts';
import { startStore } from '../local/store.ts';
import { Tool } from '../run-command.ts';
import { figure, isMissed, type Row, report } from './figures.ts';
import { benchDir, conditions, type Measurement, say } from './measurement.ts';
import { backlog } from './measurements/backlog.ts';
import { gateway } from './measurements/gateway.ts';
import { imports } from './measurements/imports.ts';
import { orderLife } from './measurements/order-life.ts';
import { checks, orders, products } from './measurements/requests.ts';
import { orderStreams } from './measurements/streams.ts';
import { webhooks } from './measurements/webhooks.ts';
import { idle, start } from './measurements/whole-store.ts';
import { readComponents, residentMib } from './process-usage.ts';

const measurements = [
  start,
  products,
  orders,
  checks,
  gateway,
  orderLife,
  backlog,
  idle,
  imports,
  orderStreams,
  webhooks,
];

// Started processes end with this process (tools/local/components/supervised-process.ts), and their data is not kept.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));

/** Runs a measurement, and records the memory of each service if it is larger than after earlier measurements. */
async function measure(measurement: Measurement, memory: Map<string, Row>): Promise<Row[]> {
  const { name, components, env, run, measuresMemory } = measurement;
  const dir = join(benchDir, 'fresh');
  await rm(join(dir, 'data'), { recursive: true, force: true });
  const store = await startStore({
    dir,
    components,
    gateway: measurement.gateway,
    log: (line) => say(`${name}: ${line}`),
    ports: 'free',
    env: { APP_PROFILE: 'prod', SHIP_AFTER_SECONDS: '3600', ...env },
    // Delays of events count from the commit.
    postgresSettings: { track_commit_timestamp: 'on' },
  });
  try {
    const rows = await run(store);
    for (const [service, { now, peak, own }] of measuresMemory ? [] : await readComponents(store, residentMib)) {
      if (!serviceNames.includes(service) || own <= (memory.get(service)?.result ?? 0)) continue;
      const measured = `after ${name}; with Node's program ${now.toFixed()} MiB, peak ${peak.toFixed()} MiB`;
      memory.set(service, figure('memory', own, measured, service));
    }
    return rows;
  } catch (error) {
    // A failed measurement counts as a missed limit; the others go on.
    const reason = messageOf(error);
    say(`${name}: ${reason}`);
    return [figure('failed', NaN, reason.slice(0, 120), name)];
  } finally {
    await store.stop();
  }
}

async function bench({ only }: { only?: string[] }): Promise<void> {
  if (process.platform !== 'linux') throw new Error('make bench reads /proc, which only Linux has.');
  const measured = `${await conditions()}, load ${loadavg()[0]?.toFixed(1)} before`;
  const memory = new Map<string, Row>();
  const rows: Row[] = [];
  for (const measurement of measurements.filter(({ name, takes }) => only?.includes(name) ?? takes === undefined)) {
    const found = await measure(measurement, memory);
    say(report(found));
    rows.push(...found);
  }
  rows.push(...memory.values());
  console.log(`\n${measured}\n\n${report(rows)}`);
  if (only === undefined) {
    for (const { name, takes } of measurements) if (takes) console.log(`Not run: ONLY=${name}, which takes ${takes}.`);
  }
  process.exit(rows.some(isMissed) ? 1 : 0);
}

await new Tool('make bench')
  .usage('[ONLY="<names>"]')
  .description('Measures speed and memory against their limits, beside a running store if there is one. Takes minutes.')
  .addOption(new Option('--only <names...>', 'ONLY: these measurements').choices(measurements.map(({ name }) => name)))
  .addHelpText('after', '\nExit code: 0 if every limit is kept, 1 if a limit is missed or a measurement fails.')
  .action(bench)
  .run();
