import { createHash } from 'node:crypto';
import { stringify } from 'yaml';
import { topology } from '../topology/topology.ts';

// Lines of path and value that a reviewer reads, of all that the chart renders: what several objects share stands once.

const head = `# Written by make golden: each line is the path of a value and the value, below the kinds and the names of all objects that have it.
# "*" is the service of an object or the only item of a list, [] an item of a list whose items have no names, sha256 that of a text of many lines.
`;

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes' own objects
type Manifest = any;

/** Characters of a value that takes one line. */
const width = 80;
/** Lines of a text that is a file of the chart: above, it is written as its digest. */
const textLines = 10;

const aliases = topology.services.map(({ alias }) => alias);

/** @param before the objects of the default values, from which only what differs is shown */
export function goldenText(objects: Manifest[], before: Manifest[] = []): string {
  const defaults = new Map(before.map((object) => [titleOf(object), linesOf(object)]));
  /** The objects that have a line. */
  const owners = new Map<string, string[]>();
  for (const object of objects) {
    const title = titleOf(object);
    const [lines, known = []] = [linesOf(object), defaults.get(title)];
    const added = lines.filter((line) => !known.includes(line));
    const paths = new Set(lines.map(pathOf));
    const gone = known.filter((line) => !paths.has(pathOf(line)));
    for (const line of [...added, ...gone.map((line) => `absent ${line}`)])
      owners.set(line, [...(owners.get(line) ?? []), title]);
    defaults.delete(title);
  }
  const groups = Map.groupBy(owners, ([, titles]) => headOf(titles));
  const sections = [...groups].flatMap(([head, lines]) => [head, ...lines.map(([line]) => `  ${line}`)]);
  const absent = defaults.size > 0 ? [`absent ${headOf([...defaults.keys()])}`] : [];
  return `${head}${[...sections, ...absent].join('\n')}\n`;
}

/** An item of a list has no path but itself. */
const pathOf = (line: string) => (line.includes('[]: ') ? line : line.split(': ', 1)[0]);

/** Returns the names of objects behind their kinds; kinds with the same names stand together. */
function headOf(titles: string[]): string {
  const names = Map.groupBy(titles, (title) => title.split(' ')[0]);
  const kinds = Map.groupBy(names, ([, all]) => all.map((title) => title.split(' ')[1]).join(', '));
  return [...kinds].map(([all, of]) => `${of.map(([kind]) => kind).join(', ')}: ${all}`).join('; ');
}

/** Returns the name, without the checksum in that of a Job. */
const nameOf = ({ metadata }: Manifest): string => metadata.name.replace(/-[0-9a-f]{8}$/, '');
const titleOf = (object: Manifest): string => `${object.kind} ${nameOf(object)}`;

/** Returns the lines of an object, with "*" in place of its service, for objects such as order, order-pods and kafka-order. */
function linesOf({ kind, ...object }: Manifest): string[] {
  const service = aliases.find((alias) => new RegExp(`^(kafka-)?${alias}(-\\w+)?$`).test(object.metadata.name));
  const inTitle = `metadata.name: "${nameOf(object)}"`;
  const lines = [...new Set(flattened('', object))].filter((line) => line !== inTitle);
  return service ? lines.map((line) => line.replaceAll(new RegExp(`\\b${service}\\b`, 'g'), '*')) : lines;
}

function flattened(path: string, value: unknown): string[] {
  const isLeaf = typeof value !== 'object' || value === null || JSON.stringify(value).length <= width;
  if (isLeaf) return [`${path}: ${textOf(value)}`];
  const inner = Array.isArray(value) ? byName(value) : value;
  // The place of a map in a list means nothing.
  if (Array.isArray(inner) && inner.every(isMap)) return inner.map((item) => `${path}[]: ${textOf(item)}`);
  return Object.entries(inner).flatMap(([key, item]) => flattened(path ? `${path}.${key}` : key, item));
}

const isMap = (value: unknown) => typeof value === 'object' && !Array.isArray(value);

/** Turns items with names into a map; the order of a few of them matters, such as that of init containers. */
function byName(items: { name?: string; value?: unknown }[]): object {
  const names = items.map(({ name }) => name);
  if (names.includes(undefined)) return items;
  const keyOf = (name: unknown) => (names.length === 1 ? '*' : name);
  const fields = items.map(({ name, ...item }) => [
    keyOf(name),
    Object.keys(item).join() === 'value' ? item.value : item,
  ]);
  return { ...(names.length < 5 && { order: names }), ...Object.fromEntries(fields) };
}

function textOf(value: unknown): string {
  const lines = String(value).split('\n').length;
  if (lines > textLines) {
    const digest = createHash('sha256').update(String(value)).digest('hex');
    return `${lines} lines, sha256:${digest.slice(0, 16)}`;
  }
  const flow =
    typeof value === 'string' ? JSON.stringify(value) : stringify(value, { collectionStyle: 'flow', lineWidth: 0 });
  return flow.trim();
}
