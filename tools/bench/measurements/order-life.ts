import { quantile } from 'simple-statistics';
import { topology } from '../../topology/topology.ts';
import { type Measurement, say, unlimited } from '../measurement.ts';
import { connections, prepareOrderLoad } from '../order-load.ts';

/** Until V8 has compiled the hot code of all processes. */
const warmUpSeconds = 20;
const seconds = 15;
const perSecond = 20;
const secondsAtRate = 40;

const consumers = Object.values(topology.groups).map(({ name }) => name);

/**
 * Measures the cost of an order for all processes together, from the request at the gateway until it is CONFIRMED and
 * every group has handled its events, and how long it takes where there is no queue.
 */
export const orderLife: Measurement = {
  name: 'order-life',
  components: ['gateway', 'auth', 'account', 'product', 'order', ...consumers],
  gateway: unlimited,
  async run(store) {
    const load = await prepareOrderLoad(store);
    say(`warming up, then placing orders on ${connections} connections for ${seconds} s`);
    await load.closedLoop(warmUpSeconds);
    const closed = await load.closedLoop(seconds);
    say(`placing ${perSecond} orders per second for ${secondsAtRate} s`);
    const delays = await load.delays(perSecond, secondsAtRate);
    return [
      {
        name: 'An order from its request to CONFIRMED and all groups, CPU of all processes',
        measured: closed.costs.map(([name, ms]) => `${name} ${ms.toFixed(2)}`).join(', '),
        result: closed.cost,
        unit: 'ms',
        atMost: 10,
      },
      {
        name: `The same, orders per second in a closed loop of ${connections} connections`,
        measured: `${closed.count} orders, until all groups have caught up`,
        result: closed.perSecond,
        unit: 'per s',
        atLeast: 180,
      },
      {
        name: 'Order placed through the gateway to CONFIRMED, p50',
        measured: `at ${perSecond} orders per second`,
        result: quantile(delays, 0.5),
        unit: 'ms',
        atMost: 60,
      },
      {
        name: 'The same, p99',
        measured: `of ${delays.length} orders`,
        result: quantile(delays, 0.99),
        unit: 'ms',
        atMost: 200,
      },
    ];
  },
};
