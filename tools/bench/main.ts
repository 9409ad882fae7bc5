import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { Command } from 'commander';
import { startStore } from '../local/store.ts';
import { benchDir, type Measurement } from './bench.ts';
import { gateway } from './gateway.ts';
import { memory } from './memory.ts';
import { orders } from './orders.ts';
import { products } from './products.ts';
import { start } from './start.ts';
import { status } from './status.ts';
import { isMissed, type Row, table } from './table.ts';

const measurements: Measurement[] = [products, orders, gateway, status];
const names = measurements.map(({ name }) => name);

const { only = names } = new Command('make bench')
  .description('Measures speed and memory against their limits, beside a running store if there is one. Takes minutes.')
  .option('--only <names...>', `of ${names.join(', ')}`)
  .parse()
  .opts<{ only?: string[] }>();

const say = (line: string) => process.stderr.write(`${line}\n`);

// What was started ends with this process (tools/local/part.ts), and nothing that it holds has to survive.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));

async function run(): Promise<Row[]> {
  const unknown = only.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Error(`There is no measurement ${unknown}, only ${names.join(', ')}.`);
  const chosen = measurements.filter(({ name }) => only.includes(name));
  const store = await startStore({
    dir: benchDir,
    ports: 'free',
    env: { APP_PROFILE: 'prod' },
    parts: chosen.flatMap(({ parts }) => parts),
    log: say,
  });
  try {
    const rows: Row[] = [];
    for (const { name, run } of chosen) rows.push(...(await run({ store, say: (line) => say(`${name}: ${line}`) })));
    return [...rows, ...(await memory(store))];
  } finally {
    await store.stop();
  }
}

function machine(): string {
  const memory = `${(totalmem() / 2 ** 30).toFixed()} GiB`;
  const load = `load ${loadavg()[0]?.toFixed(1)} before`;
  return `${availableParallelism()} × ${cpus()[0]?.model}, ${memory}, Node ${process.versions.node}, ${load}`;
}

try {
  const where = machine();
  const rows = [...(only.length === names.length ? [await start(say)] : []), ...(await run())];
  console.log(`\n${where}\n\n${table(rows)}`);
  process.exit(rows.some(isMissed) ? 1 : 0);
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exit(2);
}
