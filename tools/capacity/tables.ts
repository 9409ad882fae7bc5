import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { markdownTable } from 'markdown-table';
import { oneLine } from '../bench/machine.ts';
import { root } from '../paths.ts';
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

const table = (rows: string[][]) => markdownTable(rows, { alignDelimiters: false, padding: true });

/** The costs of an order by component. */
function costTable(costs: Costs): string {
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
const ceilingTable = (costs: Costs): string =>
  table([
    ['Ceiling', 'Orders per second', 'To raise it'],
    ...ceilings(costs).map(({ what, ordersPerSecond, turn }) => [what, number(ordersPerSecond), turn]),
  ]);

const file = join(root, 'docs/scaling.md');

/** The texts of docs/scaling.md between `<!-- figures: NAME -->` and `<!-- end -->`, by name. */
const figures = (costs: Costs): Record<string, string> => ({
  measured: `Measured on ${costs.measuredAt.slice(0, 10)}, commit \`${costs.commit.slice(0, 12)}\`: ${oneLine(costs.machine)}.`,
  costs: costTable(costs),
  ceilings: ceilingTable(costs),
});

/** @throws Error where the text lacks a block or has an unknown one */
export function withFigures(text: string, costs: Costs): string {
  const missing = new Map(Object.entries(figures(costs)));
  const result = text.replaceAll(/(<!-- figures: (\w+) -->\n)[\s\S]*?(\n<!-- end -->)/g, (_, begin, name, end) => {
    const block = missing.get(name);
    if (block === undefined) throw new Error(`docs/scaling.md has figures twice or unknown ones: ${name}`);
    missing.delete(name);
    return `${begin}\n${block}\n${end}`;
  });
  if (missing.size > 0) throw new Error(`docs/scaling.md lacks figures: ${[...missing.keys()].join(', ')}`);
  return result;
}

export async function writeFigures(costs: Costs): Promise<void> {
  await writeFile(file, withFigures(await readFile(file, 'utf8'), costs));
}
