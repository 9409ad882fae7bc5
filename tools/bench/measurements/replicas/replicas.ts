import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { execa } from 'execa';
import pMap from 'p-map';
import type { SupervisedProcess } from '../../../local/components/supervised-process.ts';
import type { Measurement } from '../../measurement.ts';
import { openOrderLoad, processesOf, productIds, threeOf } from '../../whole-orders.ts';
import { fillCatalogue } from '../products.ts';
import { differences } from './audit.ts';
import { sampleLockWaits } from './lock-waits.ts';

const grown = ['order', 'order-worker', 'inventory', 'payment', 'notification', 'analytics', 'invoice'];
const databases = ['order', 'inventory', 'payment', 'consumers'];
const sizes = [1, 2, 4];
/** For each replica, so that its share of the work, and with it the size of its chunks, stays the same (record 22). */
const connections = 32;
const seconds = 10;

/** Measures if replicas that share a database and the partitions of a topic lose work, do it twice, or wait for one another. */
export const replicas: Measurement = {
  name: 'replicas',
  components: ['product', ...grown],
  partitions: 12,
  async run({ store, log }) {
    await fillCatalogue(store.databaseUrl('product'));
    const items = threeOf(await productIds(store.url('product')));
    const processes = processesOf(store);
    const customers = [{ url: store.url('order'), headers: { 'id-account': randomUUID() } }];
    const load = await openOrderLoad(store, customers, { processes });
    const results: Awaited<ReturnType<typeof measure>>[] = [];
    const found: string[] = [];
    let placed = 0;

    async function measure(size: number) {
      // Gently first: a cold replica under full load would let requests time out.
      const first = await load.run({ connections: customers.length, seconds: 8, items });
      const warmUp = await load.run({ connections: size * connections, seconds: 12, items });
      const waits = await sampleLockWaits(store, databases);
      const run = await load.run({ connections: size * connections, seconds, items });
      placed += first.placed.size + warmUp.placed.size + run.placed.size;
      return { ...run, waits: describeWaits(await waits.stop(), run.perSecond) };
    }

    try {
      for (const size of sizes) {
        await growTo(size);
        log(`placing orders with ${size} of each`);
        results.push(await measure(size));
        found.push(...(await differences(store, placed)));
      }
    } finally {
      await load.close();
    }

    async function growTo(size: number): Promise<void> {
      const missing = grown.flatMap((name) => Array(size - (processes.get(name)?.length ?? 0)).fill(name));
      log(`starting ${missing.length} more processes`);
      const start = async (name: string) => {
        const replica = await store.addReplica(name);
        processes.get(name)?.push(replica);
        if (name === 'order') customers.push({ url: replica.url, headers: { 'id-account': randomUUID() } });
      };
      await pMap(missing, start, { concurrency: 2 });
      await Promise.all([...processes.values()].flatMap((some) => (some.length > 1 ? some.map(pin) : [])));
    }

    const [one, ...more] = results;
    return [
      ...more.map((result, index) => ({
        name: `An order with ${sizes[index + 1]} replicas of each service against 1, CPU of all processes`,
        measured:
          `${result.cost.toFixed(1)} against ${one?.cost.toFixed(1)} ms, ${result.perSecond.toFixed()} against ` +
          `${one?.perSecond.toFixed()} per s; waiting for locks ${result.waits} against ${one?.waits}`,
        ...{ result: result.cost / (one?.cost ?? NaN), atMost: 1.3 },
      })),
      {
        name: `Records lost or written twice by ${sizes.join(', ')} replicas`,
        measured: found.join('; ') || `${placed} orders, every record once`,
        ...{ result: found.length, atMost: 0 },
      },
    ];
  },
};

/** Keeps a replica on a core of its own, as far as there are enough. */
async function pin(replica: SupervisedProcess, index: number): Promise<void> {
  const core = String(index % availableParallelism());
  await execa('taskset', ['--all-tasks', '--cpu-list', '--pid', core, String(replica.pid())]);
}

/** How long connections have waited for an order, and for what most of all. */
function describeWaits(waits: [what: string, average: number][], perSecond: number): string {
  const all = waits.reduce((sum, [, average]) => sum + average, 0);
  const [most] = waits;
  return `${((1000 * all) / perSecond).toFixed(2)} ms${most ? ` (${most[0]})` : ''}`;
}
