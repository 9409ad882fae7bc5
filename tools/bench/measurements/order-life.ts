import { randomUUID } from 'node:crypto';
import { quantile } from 'simple-statistics';
import type { Store } from '../../local/store.ts';
import { startBaseline } from '../baselines/start-baseline.ts';
import type { Log, Measurement } from '../measurement.ts';
import { familyCpuMs } from '../process-usage.ts';
import { type Item, newCustomer, openOrderLoad, placeOrders, productIds, threeOf } from '../whole-orders.ts';
import { fillCatalogue } from './products.ts';
import { saga } from './saga.ts';

const connections = 16;
/**
 * Until V8 has compiled the hot code of all processes. Together with what is measured, shorter than until the
 * first shipment.
 */
const warmUpSeconds = 20;
const seconds = 15;

/**
 * Measures the cost of an order for all processes together, from the request at the gateway until it is CONFIRMED and
 * every group has handled its events, beside a server that only stores it.
 */
export const orderLife: Measurement = {
  name: 'order-life',
  components: saga.components,
  env: { SHIP_AFTER_SECONDS: '60' },
  gateway: { limits: { requests: { perSecond: 1_000_000, burst: 1_000_000 } } },
  async run({ store, log }) {
    await fillCatalogue(store.databaseUrl('product'));
    const items = threeOf(await productIds(store.url('product')));
    const load = await openOrderLoad(store, [await newCustomer(store)]);
    try {
      log(`warming up, then placing orders on ${connections} connections for ${seconds} s`);
      await load.run({ connections, seconds: warmUpSeconds, items });
      const { placed, perSecond, costs, cost } = await load.run({ connections, seconds, items });
      const delays = await load.delaysUntilConfirmed(placed);

      await store.component('order-worker').stop(); // its relay would publish the events of the bare server
      const bare = await bareCost(store, items, log);
      const parts = costs.map(([name, ms]) => `${name} ${ms.toFixed(2)}`);
      return [
        {
          name: 'An order from its request to CONFIRMED and all groups, CPU of all processes',
          measured: `${parts.join(', ')}; only stored by node:http and pg ${bare.toFixed(2)}`,
          result: cost,
          unit: 'ms',
          atMost: 10,
        },
        {
          name: `The same, orders per second in a closed loop of ${connections} connections`,
          measured: `${placed.size} orders, until all groups have caught up`,
          result: perSecond,
          unit: 'per s',
          atLeast: 180,
        },
        {
          name: 'The same, placed to CONFIRMED under this load, p50',
          measured: `p99 ${quantile(delays, 0.99).toFixed()} ms`,
          result: quantile(delays, 0.5),
          unit: 'ms',
        },
      ];
    } finally {
      await load.close();
    }
  },
};

/** CPU time of a bare server and PostgreSQL for an order that is only stored, in ms. */
async function bareCost(store: Store, items: () => Item[], log: Log): Promise<number> {
  const baseline = await startBaseline('orders.ts', store.databaseUrl('order'), log);
  try {
    const pids = [baseline.pid(), store.component('postgres').pid()];
    const cpu = async () => (await Promise.all(pids.map(familyCpuMs))).reduce((sum, ms) => sum + ms, 0);
    const customers = [{ url: baseline.url, headers: { 'id-account': randomUUID() } }];
    await placeOrders(customers, { connections, seconds: 3, items });
    const before = await cpu();
    const placed = await placeOrders(customers, { connections, seconds: 5, items });
    return ((await cpu()) - before) / placed.size;
  } finally {
    await baseline.stop();
  }
}
