import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { costs as measurement } from '../bench/measurements/costs.ts';
import { root } from '../paths.ts';
import { topology } from '../topology/topology.ts';
import { costs } from './costs.ts';
import { assumptions, ceilings, groupOf, planFor } from './model.ts';

const rates = [0.1, 1, 10, 100, 1_000, 10_000, 100_000, 1_000_000];

describe('the costs that are checked in', () => {
  const { cpuMs, residentMib, postgresCpuMs, tableBytes } = costs;
  const { components } = measurement;

  it.each<[string, object, string[]]>([
    ['CPU', cpuMs, [...components, 'kafka']],
    ['memory', residentMib, components],
    ['CPU of PostgreSQL', postgresCpuMs, [...topology.databases, 'shared']],
  ])('are of the store as it is, otherwise make bench ONLY=costs: %s', (_, values, names) => {
    expect(Object.keys(values).sort()).toEqual(names.toSorted());
  });

  it('have what an order leaves in every table, otherwise make bench ONLY=costs', async () => {
    const measured = topology.services.filter(({ name, database }) => database && components.includes(name));
    for (const database of new Set(measured.map((service) => service.database ?? ''))) {
      const schema = await readFile(join(root, 'services', database, 'prisma/schema.prisma'), 'utf8');
      const names = [...schema.matchAll(/@@map\("(\w+)"\)/g)].map(([, name]) => name);
      expect(names.length).toBeGreaterThan(0);
      expect(Object.keys(tableBytes)).toEqual(expect.arrayContaining(names));
    }
  });
});

/** Every number of a plan, by its place. */
const numbersOf = (plan: object, place = ''): [string, number][] =>
  Object.entries(plan).flatMap(([name, value]): [string, number][] => {
    if (typeof value === 'number') return [[`${place}${name}`, value]];
    return typeof value === 'object' ? numbersOf(value, `${place}${name} `) : [];
  });

it('a higher rate takes no less of anything', () => {
  const plans = rates.map((rate) => numbersOf(planFor(rate, costs)));
  for (const [index, plan] of plans.slice(1).entries()) {
    const less = plan.filter(([, value], at) => !(value >= (plans[index]?.[at]?.[1] ?? NaN)));
    expect(less).toEqual([]);
  }
});

describe.each(rates)('at %d orders per second', (rate) => {
  const { services, databases, kafka, partitions } = planFor(rate, costs);

  it('no group has more members than partitions, and each has two', () => {
    const consuming = services.filter(({ name }) => groupOf(name) !== undefined);
    expect(consuming.length).toBeGreaterThan(4);
    expect(consuming.filter(({ replicas }) => replicas < 2 || replicas > partitions)).toEqual([]);
  });

  it('no process and no server is busier, or has more connections, than planned', () => {
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
  const found = ceilings(costs).map(([, ordersPerSecond]) => ordersPerSecond);
  expect(found.every((value) => value > 0 && Number.isFinite(value))).toBe(true);
  expect(found).toEqual(found.toSorted((a, b) => a - b));
  const wal = (given: typeof costs) => ceilings(given).find(([what]) => what.includes('log'))?.[1] ?? NaN;
  expect(wal({ ...costs, walBytes: costs.walBytes / 2 })).toBeCloseTo(2 * wal(costs), 6);
});
