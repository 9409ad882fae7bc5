import { topology } from '../topology/topology.ts';
import type { Costs } from './costs.ts';

// The needs of a rate of orders, in proportion to what one order was measured to take. Nothing is assumed to get cheaper with
// the rate, although larger chunks make it so.

export const assumptions = {
  /** Share of its core that a process is planned to use; the rest is for bursts, and for the work of a lost replica. */
  utilisation: 0.6,
  /** The second replica takes over. */
  fewestReplicas: 2,
  /** Cores of the largest PostgreSQL server that one would run. */
  coresOfServer: 32,
  /** max_connections of such a server. */
  connectionsOfServer: 500,
  /** Connections of a replica at most: the pool, the lists, checks or the relay (services/shared/src/database/database.ts). */
  connectionsOfReplica: 10 + 5 + 2,
  /** As the chart has it; topics grow by as many. */
  partitions: 6,
  kafkaReplicas: 3,
  coresOfBroker: 8,
  /** Bytes per second that the disk of a PostgreSQL server takes. */
  walOfServer: 500e6,
};

/** After so many days rows are deleted (contract 4.7, 4.11, 6.5, 6.6); those of other tables are kept. */
const keptDays: Record<string, number> = {
  idempotency_keys: 1,
  outbox: 7,
  order_changes: 8,
  order_count_changes: 0,
  processed_events: 30,
};
/** Retention of the topic (contract 6.2). */
const topicDays = 7;
const secondsOfDay = 86_400;
/** In the outbox of order: OrderCreated and OrderShipped. */
const eventsOfOrder = 2;

/** @param rate orders per second, around the clock */
export function planFor(rate: number, costs: Costs) {
  const { utilisation, fewestReplicas, kafkaReplicas, partitions, coresOfBroker } = assumptions;
  const coresFor = (ms = 0) => (rate * ms) / 1000;
  const { kafka, ...cpuMs } = costs.cpuMs;
  const services = Object.entries(cpuMs).map(([name, ms]) => {
    const replicas = Math.max(fewestReplicas, Math.ceil(coresFor(ms) / utilisation));
    return { name, cores: coresFor(ms), replicas, memoryMib: replicas * (costs.residentMib[name] ?? 0) };
  });
  const databases = topology.databases
    .filter((name) => costs.postgresCpuMs[name])
    .map((name) => {
      const cores = coresFor(costs.postgresCpuMs[name]);
      const users = services.filter((one) => serviceOf(one.name)?.database === name).map(({ replicas }) => replicas);
      const connections = sum(users) * assumptions.connectionsOfReplica;
      const forCores = Math.ceil(cores / utilisation / assumptions.coresOfServer);
      const forConnections = Math.ceil(connections / assumptions.connectionsOfServer);
      return { name, cores, connections, servers: Math.max(forCores, forConnections) };
    });
  const members = services.filter(({ name }) => groupOf(name)).map(({ replicas }) => replicas);
  const kafkaCores = coresFor(kafka) * kafkaReplicas;
  const ordersOfDay = rate * secondsOfDay;
  const tables = Object.entries(costs.tableBytes);
  const tableBytesAfter = (days: number) =>
    ordersOfDay * sum(tables.map(([table, bytes]) => bytes * Math.min(days, keptDays[table] ?? days)));
  return {
    services,
    databases,
    /** Partitions of order-events: each member of a group has at least one. */
    partitions: partitions * Math.ceil(Math.max(...members, 1) / partitions),
    kafka: {
      cores: kafkaCores,
      brokers: Math.max(kafkaReplicas, Math.ceil(kafkaCores / utilisation / coresOfBroker)),
      storedBytes: ordersOfDay * costs.kafkaBytes * topicDays * kafkaReplicas,
    },
    tableBytes: { day: tableBytesAfter(1), month: tableBytesAfter(30) },
    walBytesPerSecond: rate * costs.walBytes,
  };
}

/** Returns the rates that no further replica makes higher, the lowest first, and the change that does. */
export function ceilings(costs: Costs): [what: string, ordersPerSecond: number, turn: string][] {
  const { utilisation, coresOfServer, partitions, walOfServer } = assumptions;
  const orders = (cores: number, ms: number) => (cores * utilisation * 1000) / ms;
  const { shared = 0, ...databases } = costs.postgresCpuMs;
  const [busiest, busiestMs] = highest(databases);
  const members = Object.entries(costs.cpuMs).filter(([name]) => groupOf(name));
  const [slowest, slowestMs] = highest(Object.fromEntries(members));
  const { relay, invoice, analytics } = costs.mostPerSecond;
  const cells = 'shards by order id, or cells';
  const group = `${partitions} partitions: as many members of the group of ${slowest}`;
  const server = `PostgreSQL server of ${coresOfServer} cores`;
  const log = `The write-ahead log of one server, ${walOfServer / 1e6} MB per second`;
  const numbers = 'Invoice numbers without gaps: one transaction after another';
  const row = 'The figures of the day: one row that every transaction of analytics locks';
  const found: ReturnType<typeof ceilings> = [
    [`One process of ${slowest}`, orders(1, slowestMs), 'replicas, up to as many as there are partitions'],
    [group, orders(partitions, slowestMs), 'more partitions, while no order is in progress'],
    [`One ${server} for all databases`, orders(coresOfServer, sum(costs.postgresCpuMs)), 'a server for each database'],
    [`A ${server} for the database ${busiest} alone`, orders(coresOfServer, busiestMs + shared), cells],
    [log, walOfServer / costs.walBytes, 'a server for each database, then shards or cells'],
    ['The relay of the outbox of order: one process', (relay * utilisation) / eventsOfOrder, cells],
    [numbers, invoice, 'a series of numbers for each shard or cell'],
    [row, analytics / 2, 'a row for each partition, added up when read'], // of OrderCreated and of OrderPaid
  ];
  return found.sort(([, a], [, b]) => a - b);
}

function highest(amounts: Record<string, number>): [string, number] {
  const [first = ['', NaN]] = Object.entries(amounts).sort(([, a], [, b]) => b - a);
  return first;
}

/** Finds none for the gateway, which has costs too. */
const serviceOf = (name: string) => topology.services.find((service) => service.name === name);

export const groupOf = (name: string) => serviceOf(name)?.group;

export const sum = (amounts: Record<string, number> | number[]): number =>
  Object.values<number>(amounts).reduce((total, value) => total + value, 0);
