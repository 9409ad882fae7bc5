import { markdownTable } from 'markdown-table';
import { ceilings } from './ceilings.ts';
import type { Costs } from './costs.ts';
import { planFor, sum } from './model.ts';

// The figures as Markdown, for the terminal and for docs/scaling.md.

/** Three digits, such as 12,300 or 0.123. */
export const number = (value: number) => value.toLocaleString('en', { maximumSignificantDigits: 3 });

export function bytes(value: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];
  const power = Math.min(Math.floor(Math.log10(Math.max(value, 1)) / 3), units.length - 1);
  return `${number(value / 1000 ** power)} ${units[power]}`;
}

const table = (rows: string[][]) => markdownTable(rows, { alignDelimiters: false, padding: true });

/** The costs of an order by component. */
export function costTable(costs: Costs): string {
  const postgres = sum(Object.values(costs.postgresCpuMs));
  const all = sum(Object.values(costs.cpuMs)) + postgres;
  const largestFirst = Object.entries({ ...costs.cpuMs, PostgreSQL: postgres }).sort(([, a], [, b]) => b - a);
  const services = largestFirst.map(([name, ms]) => [
    name,
    number(ms),
    `${((100 * ms) / all).toFixed()} %`,
    bytes(costs.sentBytes[name === 'PostgreSQL' ? 'postgres' : name] ?? 0),
  ]);
  return [
    table([
      ['Component', 'CPU ms', 'Share', 'Sends'],
      ...services,
      ['all', number(all), '100 %', bytes(sum(Object.values(costs.sentBytes)))],
    ]),
    `Each order is ${number(costs.transactions)} transactions and ${bytes(costs.walBytes)} of write-ahead log, and ${bytes(costs.kafkaBytes)} in Kafka.`,
  ].join('\n\n');
}

/** The needs of a rate. */
export function planTable(rate: number, costs: Costs): string {
  const { services, partitions, kafka, databases, walBytesPerSecond, tableBytes } = planFor(rate, costs);
  return table([
    ['Orders per second', number(rate)],
    ...services.map(({ name, replicas }) => [`Replicas of ${name}`, number(replicas)]),
    ['Memory of all services', bytes(sum(services.map(({ memoryMib }) => memoryMib * 2 ** 20)))],
    ['Partitions', number(partitions)],
    ['Brokers', number(kafka.brokers)],
    ['Stored by Kafka', bytes(kafka.storedBytes)],
    ...databases.map(({ name, cores, connections, servers }) => [
      `Database ${name}: busy cores, connections, servers`,
      `${number(cores)}, ${number(connections)}, ${number(servers)}`,
    ]),
    ['Write-ahead log per second', bytes(walBytesPerSecond)],
    ['Tables, written per day', bytes(tableBytes.day)],
    ['Tables after a month', bytes(tableBytes.month)],
  ]);
}

/** The limits in the order in which they are reached, and the changes that raise them. */
export const ceilingTable = (costs: Costs): string =>
  table([
    ['Ceiling', 'Orders per second', 'To raise it'],
    ...ceilings(costs).map(({ what, ordersPerSecond, turn }) => [what, number(ordersPerSecond), turn]),
  ]);
