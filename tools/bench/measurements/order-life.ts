import { quantile } from 'simple-statistics';
import { topology } from '../../topology/topology.ts';
import { figure } from '../figures.ts';
import { type Measurement, say, unlimited } from '../measurement.ts';
import { connections, prepareOrderLoad } from '../order-load.ts';

const warmUpSeconds = 20;
const seconds = 15;
const perSecond = 20;
const secondsAtRate = 40;

const consumers = Object.values(topology.groups).map(({ name }) => name);

/**
 * Measures the cost of an order for all processes together, from the request at the gateway until it is CONFIRMED and
 * every group has handled its events, and how long that takes without a queue.
 */
export const orderLife: Measurement = {
  name: 'order-life',
  components: ['gateway', 'auth', 'account', 'product', 'order', ...consumers],
  gateway: unlimited,
  async run(store) {
    const load = await prepareOrderLoad(store);
    say(`warming up, then placing orders on ${connections} connections for ${seconds} s`);
    await load.warmUp(warmUpSeconds);
    const closed = await load.closedLoop(seconds);
    say(`placing ${perSecond} orders per second for ${secondsAtRate} s`);
    const delays = await load.delays(perSecond * secondsAtRate, 1000 / perSecond);
    return [
      figure('cost', closed.cost, closed.costs.map(([name, ms]) => `${name} ${ms.toFixed(2)}`).join(', ')),
      figure('rate', closed.perSecond, `${closed.count} orders, until all groups have caught up`, connections),
      figure('delay', quantile(delays, 0.5), `at ${perSecond} orders per second`),
      figure('longDelay', quantile(delays, 0.99), `of ${delays.length} orders`),
    ];
  },
};
