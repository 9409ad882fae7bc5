import type { Costs } from './costs.ts';
import { assumptions, groupOf, sum } from './model.ts';

/** Something that no further replica makes faster. */
export interface Ceiling {
  what: string;
  /** At which it is reached. */
  ordersPerSecond: number;
  /** The change that raises it. */
  turn: string;
}

const { utilisation, coresOfServer, partitions, relaysOfOutbox, walOfServer } = assumptions;

/** The lowest first. */
export function ceilings(costs: Costs): Ceiling[] {
  const orders = (cores: number, ms: number) => (cores * utilisation * 1000) / ms;
  const { shared = 0, ...databases } = costs.postgresCpuMs;
  const [busiest = '', busiestMs = NaN] = Object.entries(databases).sort(([, a], [, b]) => b - a)[0] ?? [];
  const [slowest = '', slowestMs = NaN] =
    Object.entries(costs.cpuMs)
      .filter(([name]) => groupOf(name) !== undefined)
      .sort(([, a], [, b]) => b - a)[0] ?? [];
  const { relay, invoice, analytics } = costs.mostPerSecond;
  const [publisher = '', events = NaN] = Object.entries(costs.events).sort(([, a], [, b]) => b - a)[0] ?? [];
  return [
    {
      what: `One process of ${slowest}`,
      ordersPerSecond: orders(1, slowestMs),
      turn: 'replicas, up to as many as there are partitions',
    },
    {
      what: `${partitions} partitions: as many members of the group of ${slowest}`,
      ordersPerSecond: orders(partitions, slowestMs),
      turn: 'more partitions, while no order is in progress',
    },
    {
      what: `One PostgreSQL server of ${coresOfServer} cores for all databases`,
      ordersPerSecond: orders(coresOfServer, sum(Object.values(databases)) + shared),
      turn: 'a server for each database',
    },
    {
      what: `A PostgreSQL server of ${coresOfServer} cores for the database ${busiest} alone`,
      ordersPerSecond: orders(coresOfServer, busiestMs + shared),
      turn: 'shards by order id, or cells',
    },
    {
      what: `The write-ahead log of one server, ${walOfServer / 1e6} MB per second`,
      ordersPerSecond: walOfServer / costs.walBytes,
      turn: 'a server for each database, then shards or cells',
    },
    {
      what: `The ${relaysOfOutbox} relays that share the outbox of ${publisher}`,
      ordersPerSecond: (relaysOfOutbox * relay * utilisation) / events,
      turn: 'shards by order id, or cells',
    },
    {
      what: 'Invoice numbers without gaps: one transaction after another',
      ordersPerSecond: invoice,
      turn: 'a series of numbers for each shard or cell',
    },
    {
      what: 'The figures of the day: one row that every transaction of analytics locks',
      ordersPerSecond: analytics / 2, // OrderCreated and OrderPaid
      turn: 'a row for each partition, added up when read',
    },
  ].sort((a, b) => a.ordersPerSecond - b.ordersPerSecond);
}
