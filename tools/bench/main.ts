import { rm } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { startStore } from '../local/store.ts';
import { benchDir, type Measurement } from './measurement.ts';
import { backlog } from './measurements/backlog.ts';
import { events } from './measurements/events.ts';
import { gateway } from './measurements/gateway.ts';
import { orders } from './measurements/orders.ts';
import { products } from './measurements/products.ts';
import { saga } from './measurements/saga.ts';
import { start } from './measurements/start.ts';
import { status } from './measurements/status.ts';
import { createMemory } from './memory.ts';
import { isMissed, type Row, table } from './report.ts';

const measurements: Measurement[] = [products, orders, gateway, status, saga, events, backlog];
const names = measurements.map(({ name }) => name);

const { only = names } = new Command('make bench')
  .description('Measures speed and memory against their limits, beside a running store if there is one. Takes minutes.')
  .option('--only <names...>', `of ${names.join(', ')}`)
  .parse()
  .opts<{ only?: string[] }>();

const say = (line: string) => process.stderr.write(`${line}\n`);

// What was started ends with this process (tools/local/components/supervised-process.ts), and nothing that it holds has to survive.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));

async function run(): Promise<Row[]> {
  const unknown = only.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Error(`There is no measurement ${unknown}, only ${names.join(', ')}.`);
  const memory = createMemory();
  const rows: Row[] = [];
  for (const { name, components, keepsData, run } of measurements.filter(({ name }) => only.includes(name))) {
    const log = (line: string) => say(`${name}: ${line}`);
    const dir = keepsData ? benchDir : join(benchDir, 'fresh');
    if (!keepsData) await rm(join(dir, 'data'), { recursive: true, force: true });
    const env = { APP_PROFILE: 'prod', SHIP_AFTER_SECONDS: '3600' };
    // When a row was committed, to the microsecond, is what the delays of events are measured by.
    const postgresSettings = { track_commit_timestamp: 'on' };
    const store = await startStore({ dir, ports: 'free', env, components, postgresSettings, log });
    try {
      rows.push(...(await run({ store, say: log })));
      await memory.note(store, name);
    } catch (error) {
      // The others are measured all the same, and no result is a limit missed.
      const reason = error instanceof Error ? error.message : String(error);
      log(reason);
      rows.push({ what: `${name} has failed`, measured: reason.slice(0, 120), result: NaN, atMost: 0 });
    } finally {
      await store.stop();
    }
  }
  return [...rows, ...memory.rows()];
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
