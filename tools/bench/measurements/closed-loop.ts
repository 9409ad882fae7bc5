import { mean, quantile, sum } from 'simple-statistics';
import type { Measurement } from '../measurement.ts';
import { newCustomer, type OrderLoad, openOrderLoad, productIds, threeOf } from '../whole-orders.ts';
import { orderLife } from './order-life.ts';
import { fillCatalogue } from './products.ts';

const fewest = 16;
const more = [64, 256];
const rounds = 2;
const seconds = 8;

type Run = Awaited<ReturnType<OrderLoad['run']>>;

/** Measures if an order costs more where more customers wait for one at the same time. */
export const closedLoop: Measurement = {
  name: 'closed-loop',
  components: orderLife.components,
  gateway: orderLife.gateway,
  async run({ store, log }) {
    await fillCatalogue(store.databaseUrl('product'));
    const items = threeOf(await productIds(store.url('product')));
    const load = await openOrderLoad(store, [await newCustomer(store)]);
    try {
      log('warming up');
      await load.run({ connections: fewest, seconds: 20, items });
      const runs = new Map<number, Run[]>();
      for (let round = 0; round < rounds; round += 1) {
        for (const connections of [fewest, ...more]) {
          log(`placing orders on ${connections} connections for ${seconds} s`);
          runs.set(connections, [...(runs.get(connections) ?? []), await load.run({ connections, seconds, items })]);
        }
      }
      const of = (connections: number) => runs.get(connections) ?? [];
      const before = mean(of(fewest).map(({ cost }) => cost));
      return more.map((connections) => {
        const cost = mean(of(connections).map(({ cost }) => cost));
        const replies = of(connections).flatMap((run) => run.replies);
        const perSecond = (which: number) => mean(of(which).map((run) => run.perSecond)).toFixed();
        return {
          name: `An order on ${connections} connections against ${fewest}, CPU of all processes`,
          measured:
            `${cost.toFixed(1)} against ${before.toFixed(1)} ms, ${perSecond(connections)} against ${perSecond(fewest)} per s; ` +
            `reply p50 ${quantile(replies, 0.5).toFixed()} ms, p99 ${quantile(replies, 0.99).toFixed()} ms of ${sum(of(connections).map(({ placed }) => placed.size))}`,
          ...{ result: cost / before, atMost: 1.1 },
        };
      });
    } finally {
      await load.close();
    }
  },
};
