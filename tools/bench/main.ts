import { rm } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { startStore } from '../local/store.ts';
import { messageOf, runCommand } from '../run-command.ts';
import { currentCommit, describeMachine, oneLine } from './machine.ts';
import { benchDir, type Measurement } from './measurement.ts';
import { backlog } from './measurements/backlog.ts';
import { costs } from './measurements/costs/costs.ts';
import { gateway } from './measurements/gateway.ts';
import { hostileCookies } from './measurements/hostile-cookies.ts';
import { idle } from './measurements/idle.ts';
import { orderLife } from './measurements/order-life.ts';
import { orders } from './measurements/orders.ts';
import { products } from './measurements/products.ts';
import { reads } from './measurements/reads.ts';
import { start } from './measurements/start.ts';
import { orderStreams } from './measurements/streams.ts';
import { createMemory } from './memory.ts';
import { isMissed, type Row, report } from './report.ts';
import { keepResults, readResults } from './results.ts';

const measurements: Measurement[] = [
  start,
  products,
  orders,
  reads,
  gateway,
  hostileCookies,
  orderLife,
  costs,
  backlog,
  idle,
  orderStreams,
];
const names = measurements.map(({ name }) => name);

const log = (line: string) => process.stderr.write(`${line}\n`);

// Started processes end with this one (tools/local/components/supervised-process.ts), and none of their data is kept.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));

async function measure(measurement: Measurement, memory: ReturnType<typeof createMemory>) {
  const { name, components, env, gateway, run } = measurement;
  const dir = join(benchDir, 'fresh');
  await rm(join(dir, 'data'), { recursive: true, force: true });
  const store = await startStore({
    dir,
    components,
    gateway,
    log: (line) => log(`${name}: ${line}`),
    ports: 'free',
    env: { APP_PROFILE: 'prod', SHIP_AFTER_SECONDS: '3600', ...env },
    // Delays of events are measured from the commit.
    postgresSettings: { track_commit_timestamp: 'on' },
  });
  try {
    const rows = await run({ store, log: (line) => log(`${name}: ${line}`) });
    if (!measurement.measuresMemory) await memory.record(store, name);
    return rows;
  } catch (error) {
    // A measurement without a result has missed its limit; the others go on.
    const reason = messageOf(error);
    log(`${name}: ${reason}`);
    return [{ name: `${name} failed`, measured: reason.slice(0, 120), result: null, atMost: 0 }];
  } finally {
    await store.stop();
  }
}

async function bench({ only, compare }: { only?: string[]; compare?: string }): Promise<void> {
  if (process.platform !== 'linux') throw new Error('make bench reads /proc, which Linux alone has.');
  const earlier = compare === undefined ? undefined : await readResults(compare);
  const [machine, commit, measuredAt] = [await describeMachine(), await currentCommit(), new Date().toISOString()];
  const load = loadavg()[0]?.toFixed(1);
  const memory = createMemory();
  const rows: Row[] = [];
  for (const measurement of measurements.filter(({ name, takes }) => only?.includes(name) ?? takes === undefined)) {
    rows.push(...(await measure(measurement, memory)));
  }
  rows.push(...memory.rows());
  const file = await keepResults({ measuredAt, commit, machine, rows });
  const against = earlier && `\nEarlier: ${earlier.commit} on ${oneLine(earlier.machine)}`;
  console.log(`\n${commit} on ${oneLine(machine)}, load ${load} before${against ?? ''}\n`);
  console.log(`${report(rows, earlier?.rows)}\n\nAs JSON: ${file}`);
  if (only === undefined) {
    for (const { name, takes } of measurements) if (takes) console.log(`Not run: ONLY=${name}, which takes ${takes}.`);
  }
  process.exit(rows.some(isMissed) ? 1 : 0);
}

const command = new Command('make bench')
  .usage('[ONLY="<names>"] [COMPARE=<file>]')
  .description('Measures speed and memory against their limits, beside a running store if there is one. Takes minutes.')
  .addOption(new Option('--only <names...>', 'ONLY: these measurements').choices(names))
  .option('--compare <file>', 'COMPARE: results of an earlier run as JSON, to be shown beside these')
  .addHelpText('after', '\nExit code: 0 when every limit is kept, 1 when one is missed or a measurement fails.')
  .action(bench);

await runCommand(command);
