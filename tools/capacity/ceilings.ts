import type { Costs } from './costs.ts';
import { assumptions, groupOf, sum } from './model.ts';

const { utilisation, coresOfServer, partitions, walOfServer } = assumptions;

/**
 * Rates that no further replica makes higher, and the change that does.
 * @returns the lowest first
 */
export function ceilings(costs: Costs) {
  const orders = (cores: number, ms: number) => (cores * utilisation * 1000) / ms;
  const { shared = 0, ...databases } = costs.postgresCpuMs;
  const [busiest = '', busiestMs = NaN] = Object.entries(databases).sort(([, a], [, b]) => b - a)[0] ?? [];
  const [slowest = '', slowestMs = NaN] =
    Object.entries(costs.cpuMs)
      .filter(([name]) => groupOf(name) !== undefined)
      .sort(([, a], [, b]) => b - a)[0] ?? [];
  const { relay, invoice, analytics } = costs.mostPerSecond;
  const [publisher = '', events = NaN] = Object.entries(costs.events).sort(([, a], [, b]) => b - a)[0] ?? [];
  const found: [what: string, ordersPerSecond: number, turn: string][] = [
    [`One process of ${slowest}`, orders(1, slowestMs), 'replicas, up to as many as there are partitions'],
    [
      `${partitions} partitions: as many members of the group of ${slowest}`,
      orders(partitions, slowestMs),
      'more partitions, while no order is in progress',
    ],
    [
      `One PostgreSQL server of ${coresOfServer} cores for all databases`,
      orders(coresOfServer, sum(Object.values(databases)) + shared),
      'a server for each database',
    ],
    [
      `A PostgreSQL server of ${coresOfServer} cores for the database ${busiest} alone`,
      orders(coresOfServer, busiestMs + shared),
      'shards by order id, or cells',
    ],
    [
      `The write-ahead log of one server, ${walOfServer / 1e6} MB per second`,
      walOfServer / costs.walBytes,
      'a server for each database, then shards or cells',
    ],
    [
      `The relay of the outbox of ${publisher}: one process`,
      (relay * utilisation) / events,
      'shards by order id, or cells',
    ],
    [
      'Invoice numbers without gaps: one transaction after another',
      invoice,
      'a series of numbers for each shard or cell',
    ],
    [
      'The figures of the day: one row that every transaction of analytics locks',
      analytics / 2, // OrderCreated and OrderPaid
      'a row for each partition, added up when read',
    ],
  ];
  return found
    .map(([what, ordersPerSecond, turn]) => ({ what, ordersPerSecond, turn }))
    .sort((a, b) => a.ordersPerSecond - b.ordersPerSecond);
}
