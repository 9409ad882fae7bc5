import { markdownTable } from 'markdown-table';
import { ceilings } from './ceilings.ts';
import type { Costs } from './costs.ts';
import { type Plan, planFor, sum } from './model.ts';

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
  const largestFirst = (values: Record<string, number>) => Object.entries(values).sort(([, a], [, b]) => b - a);
  const services = largestFirst({ ...costs.cpuMs, PostgreSQL: postgres }).map(([name, ms]) => [
    name,
    number(ms),
    `${((100 * ms) / all).toFixed()} %`,
    bytes(costs.sentBytes[name === 'PostgreSQL' ? 'postgres' : name] ?? 0),
  ]);
  const databases = largestFirst(costs.postgresCpuMs).filter(([, ms]) => ms > 0);
  return [
    table([
      ['Component', 'CPU ms', 'Share', 'Sends'],
      ...services,
      ['all', number(all), '100 %', bytes(sum(Object.values(costs.sentBytes)))],
    ]),
    table([
      ['Database', 'CPU ms of PostgreSQL', 'Rows and indexes'],
      ...databases.map(([name, ms]) => [name, number(ms), bytes(sum(Object.values(costs.tableBytes[name] ?? {})))]),
    ]),
    `Each order is ${number(costs.transactions)} transactions and ${bytes(costs.walBytes)} of write-ahead log, and ${bytes(costs.kafkaBytes)} in Kafka.`,
  ].join('\n\n');
}

/** The needs of several rates, side by side. */
export function planTable(rates: number[], costs: Costs): string {
  const plans = rates.map((rate) => planFor(rate, costs));
  const row = (name: string, of: (plan: Plan) => string) => [name, ...plans.map(of)];
  const [{ services, databases } = { services: [], databases: [] }] = plans;
  return table([
    ['Orders per second', ...rates.map(number)],
    ...services.map(({ name }, index) =>
      row(`Replicas of ${name}`, (plan) => number(plan.services[index]?.replicas ?? 0)),
    ),
    row('Memory of all services', (plan) => bytes(sum(plan.services.map(({ memoryMib }) => memoryMib * 2 ** 20)))),
    row('Partitions', ({ partitions }) => number(partitions)),
    row('Brokers', ({ kafka }) => number(kafka.brokers)),
    row('Stored by Kafka', ({ kafka }) => bytes(kafka.storedBytes)),
    ...databases.map(({ name }, index) =>
      row(`Database ${name}: busy cores, connections, servers`, ({ databases }) => {
        const { cores = 0, connections = 0, servers = 0 } = databases[index] ?? {};
        return `${number(cores)}, ${number(connections)}, ${number(servers)}`;
      }),
    ),
    row('Write-ahead log per second', ({ walBytesPerSecond }) => bytes(walBytesPerSecond)),
    row('Tables, written per day', ({ tableBytes }) => bytes(tableBytes.day)),
    row('Tables after a month', ({ tableBytes }) => bytes(tableBytes.month)),
  ]);
}

/** The limits in the order in which they are reached, and the changes that raise them. */
export const ceilingTable = (costs: Costs): string =>
  table([
    ['Ceiling', 'Orders per second', 'To raise it'],
    ...ceilings(costs).map(({ what, ordersPerSecond, turn }) => [what, number(ordersPerSecond), turn]),
  ]);
