import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Costs, costsFile, writeCosts } from '../../../capacity/costs.ts';
import { writeFigures } from '../../../capacity/tables.ts';
import type { Store } from '../../../local/store.ts';
import { topology } from '../../../topology/topology.ts';
import { currentCommit, describeMachine } from '../../machine.ts';
import type { Measurement } from '../../measurement.ts';
import { residentMib } from '../../process-usage.ts';
import { connections, openOrderLoad } from '../../whole-orders.ts';
import { backlog } from '../backlog.ts';
import { orderLife } from '../order-life.ts';
import { postgresUsage } from './postgres-usage.ts';
import { sentBytes } from './sent-bytes.ts';

const seconds = 20;

/** Everything that an order takes, for the model of tools/capacity and docs/scaling.md. */
export const costs: Measurement = {
  name: 'costs',
  components: orderLife.components,
  env: { SHIP_AFTER_SECONDS: '1' },
  gateway: orderLife.gateway,
  takes: 'five minutes and writes tools/capacity/costs.json and docs/scaling.md',
  async run({ store, log }) {
    const [measuredAt, commit, machine] = [new Date().toISOString(), await currentCommit(), await describeMachine()];
    // First, while its events are the only ones; what they leave in the tables is counted out below.
    const full = await backlog.run({ store, log });
    const mostOf = (row: string) => Math.round(full.find(({ name }) => name === row)?.result ?? NaN);

    const load = await openOrderLoad(store, { isShipped: true });
    try {
      log(`warming up, then placing orders on ${connections} connections for ${seconds} s`);
      await load.closedLoop(seconds);
      const before = await usage(store);
      const run = await load.closedLoop(seconds);
      const after = await usage(store);
      const { count } = run;
      const each = (now: Map<string, number>, then: Map<string, number>) =>
        Object.fromEntries([...now].map(([name, value]) => [name, rounded((value - (then.get(name) ?? 0)) / count)]));

      const result: Costs = {
        measuredAt,
        commit,
        machine,
        cpuMs: Object.fromEntries(
          run.costs.flatMap(([name, ms]) => (name === 'postgres' ? [] : [[name, rounded(ms)]])),
        ),
        postgresCpuMs: each(after.postgres.cpuMs, before.postgres.cpuMs),
        tableBytes: Object.fromEntries(
          [...after.postgres.tableBytes].map(([name, tables]) => [
            name,
            each(tables, before.postgres.tableBytes.get(name) ?? new Map()),
          ]),
        ),
        walBytes: rounded((after.postgres.walBytes - before.postgres.walBytes) / count),
        transactions: rounded((after.postgres.transactions - before.postgres.transactions) / count),
        kafkaBytes: rounded((after.kafkaBytes - before.kafkaBytes) / count),
        sentBytes: each(after.sent, before.sent),
        residentMib: after.resident,
        events: each(after.postgres.events, before.postgres.events),
        mostPerSecond: {
          relay: mostOf('Relay from a full outbox'),
          analytics: mostOf('Group analytics from a full topic'),
          invoice: mostOf('Group invoice from a full topic'),
        },
      };
      await writeCosts(result);
      await writeFigures(result);
      const measured = `${count} orders, ${run.perSecond.toFixed()} per s; written to ${costsFile}`;
      return [{ name: 'An order until it is shipped, CPU of all processes', measured, result: run.cost, unit: 'ms' }];
    } finally {
      await load.close();
    }
  },
};

async function usage(store: Store) {
  const replicated = ['gateway', ...topology.services.map(({ name }) => name)].filter(store.has);
  const resident = replicated.map(async (name) => {
    const { now } = await residentMib(store.component(name).pid());
    return [name, Math.round(now)] as const;
  });
  return {
    postgres: await postgresUsage(store, topology.databases),
    sent: await sentBytes(store),
    resident: Object.fromEntries(await Promise.all(resident)),
    kafkaBytes: await kafkaBytes(join(store.dir, 'data/kafka')),
  };
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
