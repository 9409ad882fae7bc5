import { type Costs, readCosts } from './costs.ts';
import { assumptions, ceilings, groupOf, planFor } from './model.ts';

let costs: Costs;
beforeAll(async () => {
  costs = await readCosts();
});

const rates = [0.1, 1, 10, 100, 1_000, 10_000, 100_000, 1_000_000];

/** Every number of a plan, by its place. */
function numbersOf(plan: object, place = ''): [string, number][] {
  return Object.entries(plan).flatMap(([name, value]): [string, number][] => {
    if (typeof value === 'number') return [[`${place}${name}`, value]];
    return typeof value === 'object' ? numbersOf(value, `${place}${name} `) : [];
  });
}

it('a higher rate takes no less of anything', () => {
  const plans = rates.map((rate) => numbersOf(planFor(rate, costs)));
  for (const [index, plan] of plans.slice(1).entries()) {
    for (const [at, [place, value]] of plan.entries()) {
      expect([place, value >= (plans[index]?.[at]?.[1] ?? NaN)]).toEqual([place, true]);
    }
  }
});

describe.each(rates)('at %d orders per second', (rate) => {
  const plan = () => planFor(rate, costs);

  it('no group has more members than partitions, and each has two', () => {
    const consuming = plan().services.filter(({ name }) => groupOf(name) !== undefined);
    expect(consuming.length).toBeGreaterThan(4);
    for (const { replicas } of consuming) {
      expect(replicas).toBeGreaterThanOrEqual(2);
      expect(replicas).toBeLessThanOrEqual(plan().partitions);
    }
  });

  it('no process and no server is busier, or has more connections, than planned', () => {
    const { services, databases, kafka } = plan();
    const { utilisation, coresOfServer, coresOfBroker, connectionsOfServer } = assumptions;
    expect(databases.length).toBeGreaterThan(3);
    const loads = [
      ...services.map(({ cores, replicas }) => cores / replicas),
      ...databases.map(({ cores, servers }) => cores / servers / coresOfServer),
      kafka.cores / kafka.brokers / coresOfBroker,
    ];
    expect(Math.max(...loads)).toBeLessThanOrEqual(utilisation + 1e-9);
    const connections = databases.map(({ connections, servers }) => connections / servers);
    expect(Math.max(...connections)).toBeLessThanOrEqual(connectionsOfServer);
  });
});

it('what is deleted after days is not there after a month', () => {
  const { tableBytes } = planFor(1, { ...costs, tableBytes: { outbox: 10, orders: 1 } });
  expect(tableBytes).toEqual({ day: 86_400 * 11, month: 86_400 * (7 * 10 + 30) });
});

it('ceilings come lowest first, and orders that cost half as much reach them at twice the rate', () => {
  const found = ceilings(costs).map(({ ordersPerSecond }) => ordersPerSecond);
  expect(found.every((value) => value > 0 && Number.isFinite(value))).toBe(true);
  expect(found).toEqual(found.toSorted((a, b) => a - b));
  const twice = ceilings({ ...costs, walBytes: costs.walBytes / 2 });
  const wal = (of: typeof twice) => of.find(({ what }) => what.includes('log'))?.ordersPerSecond ?? NaN;
  expect(wal(twice)).toBeCloseTo(2 * wal(ceilings(costs)), 6);
});
