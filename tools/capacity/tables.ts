import { markdownTable } from 'markdown-table';
import { withBlocks } from '../written-blocks.ts';
import type { Costs } from './costs.ts';
import { ceilings, planFor, sum } from './model.ts';

// The figures as Markdown, for the terminal and for docs/scaling.md.

/** Three digits, such as 12,300 or 0.123. */
export const number = (value: number) => value.toLocaleString('en', { maximumSignificantDigits: 3 });

function bytes(value: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];
  const power = Math.min(Math.floor(Math.log10(Math.max(value, 1)) / 3), units.length - 1);
  return `${number(value / 1000 ** power)} ${units[power]}`;
}

const table = (rows: string[][]) => markdownTable(rows, { alignDelimiters: false });

/** The costs of an order by component, the largest first. */
function costTable({ cpuMs, postgresCpuMs, transactions, walBytes, kafkaBytes }: Costs): string {
  const all = { ...cpuMs, PostgreSQL: sum(postgresCpuMs) };
  const total = sum(all);
  const largestFirst = Object.entries(all).sort(([, a], [, b]) => b - a);
  const rows = largestFirst.map(([name, ms]) => [name, number(ms), `${((100 * ms) / total).toFixed()} %`]);
  return `${table([['Component', 'CPU ms', 'Share'], ...rows, ['all', number(total), '100 %']])}

Each order is ${number(transactions)} transactions and ${bytes(walBytes)} of write-ahead log, and ${bytes(kafkaBytes)} in Kafka.`;
}

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
      [cores, connections, servers].map(number).join(', '),
    ]),
    ['Write-ahead log per second', bytes(walBytesPerSecond)],
    ['Tables, written per day', bytes(tableBytes.day)],
    ['Tables after a month', bytes(tableBytes.month)],
  ]);
}

/** Returns docs/scaling.md with these figures, by its path. */
export function scalingText(costs: Costs): Record<string, string> {
  const path = 'docs/scaling.md';
  const limits = ceilings(costs).map(([what, ordersPerSecond, turn]) => [what, number(ordersPerSecond), turn]);
  const blocks = {
    measured: `Measured on ${costs.measured}.`,
    costs: costTable(costs),
    ceilings: table([['Ceiling', 'Orders per second', 'To raise it'], ...limits]),
  };
  return { [path]: withBlocks(path, blocks) };
}
