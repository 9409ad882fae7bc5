import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { costsFile, costsSchema, writeCosts } from '../../capacity/costs.ts';
import { scalingText } from '../../capacity/tables.ts';
import type { Store } from '../../local/store.ts';
import { topology } from '../../topology/topology.ts';
import { writeChanged } from '../../write-changed.ts';
import { figure } from '../figures.ts';
import { currentCommit, describeMachine } from '../machine.ts';
import { type Measurement, say } from '../measurement.ts';
import { connections, prepareOrderLoad } from '../order-load.ts';
import { postgresUsage } from '../postgres-usage.ts';
import { ofComponents, residentMib } from '../process-usage.ts';
import { backlog } from './backlog.ts';
import { orderLife } from './order-life.ts';

const seconds = 20;

/** Measures everything that an order takes, for the model of tools/capacity and docs/scaling.md. */
export const costs: Measurement = {
  name: 'costs',
  components: orderLife.components,
  env: { SHIP_AFTER_SECONDS: '1' },
  gateway: orderLife.gateway,
  takes: 'five minutes and writes tools/capacity/costs.json and docs/scaling.md',
  async run(store) {
    const [measuredAt, commit, machine] = [new Date().toISOString(), await currentCommit(), await describeMachine()];
    // First, while its events are the only ones; what they leave in the tables is counted out below.
    const full = await backlog.run(store);
    const mostOf = (row: string) => Math.round(full.find(({ name }) => name === row)?.result ?? NaN);

    const load = await prepareOrderLoad(store, { isShipped: true });
    say(`warming up, then placing orders on ${connections} connections for ${seconds} s`);
    await load.closedLoop(seconds);
    const before = await usage(store);
    const run = await load.closedLoop(seconds);
    const after = await usage(store);
    const { postgres: _, ...cpuMs } = Object.fromEntries(run.costs.map(([name, ms]) => [name, rounded(ms)]));
    const memory = [...(await ofComponents(store, residentMib))].filter(
      ([name]) => name !== 'postgres' && name !== 'kafka',
    );
    const result = costsSchema.parse({
      measuredAt,
      commit,
      machine,
      cpuMs,
      ...perOrder(after, before, run.count),
      residentMib: Object.fromEntries(memory.map(([name, { now }]) => [name, Math.round(now)])),
      mostPerSecond: {
        relay: mostOf('Relay from a full outbox'),
        analytics: mostOf('Group analytics from a full topic'),
        invoice: mostOf('Group invoice from a full topic'),
      },
    });
    await writeCosts(result);
    await writeChanged(scalingText(result));
    const measured = `${run.count} orders, ${run.perSecond.toFixed()} per s; written to ${costsFile}`;
    return [figure('shipped', run.cost, measured)];
  },
};

const usage = async (store: Store) => ({
  ...(await postgresUsage(store, topology.databases)),
  kafkaBytes: await kafkaBytes(join(store.dir, 'data/kafka')),
});

interface Amounts {
  [name: string]: number | Amounts;
}

/** Returns the growth of each amount, divided by the orders. */
function perOrder(after: Amounts, before: Amounts, orders: number): Amounts {
  const grown = Object.entries(after).map(([name, value]) => {
    const earlier = before[name];
    if (typeof value === 'number') return [name, rounded((value - Number(earlier ?? 0)) / orders)];
    return [name, perOrder(value, typeof earlier === 'object' ? earlier : {}, orders)];
  });
  return Object.fromEntries(grown);
}

/** Bytes of all messages that are stored. */
async function kafkaBytes(dataDir: string): Promise<number> {
  const files = await readdir(dataDir, { recursive: true });
  const segments = files.filter((file) => /^order-events.*\/\d+\.log$/.test(file));
  const sizes = await Promise.all(segments.map(async (file) => (await stat(join(dataDir, file))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** To a thousandth: more would only make the file differ from run to run. */
const rounded = (value: number) => Math.max(Math.round(value * 1000) / 1000, 0);
