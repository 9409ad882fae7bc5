import { createHash } from 'node:crypto';
import { stringify } from 'yaml';
import { topology } from '../topology/topology.ts';

// Lines of path and value that a reviewer reads, of all that the chart renders: what several objects of a kind share stands once.

const head = `# Written by make golden: each line is the path of a value and the value, below the kind and the names of all objects that have it.
# "*" is the service of an object, [] an item of a list whose items have no names, sha256 that of a text of many lines.
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
  /** The objects that have a line, by kind and line. */
  const owners = new Map<string, string[]>();
  for (const object of objects) {
    const { kind } = object;
    const title = titleOf(object);
    const [lines, known = []] = [linesOf(object), defaults.get(title)];
    const added = lines.filter((line) => !known.includes(line));
    const gone = known.filter((line) => !lines.includes(line)).map((line) => `absent ${line}`);
    for (const line of [...added, ...gone]) {
      const key = `${kind}\n${line}`;
      owners.set(key, [...(owners.get(key) ?? []), title.slice(kind.length + 1)]);
    }
    defaults.delete(title);
  }
  const groups = Map.groupBy(owners, ([key, names]) => `${key.split('\n')[0]}: ${names.join(', ')}`);
  const sections = [...groups].map(([of, lines]) => [of, ...lines.map(([key]) => key.slice(key.indexOf('\n') + 1))]);
  const absent = [...defaults.keys()].map((title) => `absent: ${title}`);
  return `${head}${[...sections.map((lines) => lines.join('\n')), ...absent].join('\n---\n')}\n`;
}

/** Returns kind and name, without the checksum in the name of a Job. */
const titleOf = ({ kind, metadata }: Manifest): string => `${kind} ${metadata.name.replace(/-[0-9a-f]{8}$/, '')}`;

/** Returns the lines of an object, with "*" in place of its service, for objects such as order, order-pods and kafka-order. */
function linesOf({ kind, ...object }: Manifest): string[] {
  const service = aliases.find((alias) => new RegExp(`^(kafka-)?${alias}(-\\w+)?$`).test(object.metadata.name));
  const lines = [...new Set(flattened('', object))];
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
  const fields = items.map(({ name, ...item }) => [name, Object.keys(item).join() === 'value' ? item.value : item]);
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
