import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Document, isCollection, isPair, visit } from 'yaml';
import { topology } from '../topology/topology.ts';

// Objects as a reviewer reads them, so that any change shows. Only the place of what is added to a list does not.

const head = `# Written by make golden: what the chart renders, one object of each sort in full, of the others what differs. Items with names
# are maps. "like" is what something is compared with, "absent" what of it is not there, "sha256" that of a text of many lines,
# which is a file of the chart.
`;

type Fields = Record<string, unknown>;
// biome-ignore lint/suspicious/noExplicitAny: Kubernetes' own objects
type Manifest = any;

/** The service that stands for all: it has a database, a consumer group, a route and calls. */
const example = 'inventory';
const aliases = topology.services.map(({ alias }) => alias);

/** Characters of a line: a value that fits takes one. */
const width = 120;
/** Lines of a text that is a file of the chart: above, it is written as its digest. */
const textLines = 10;

/** @param before the objects of the default values, with which those of the same name are compared */
export function goldenText(objects: Manifest[], before: Manifest[] = []): string {
  const all: Manifest[] = objects.map((one) => readable(one));
  const defaults: Manifest[] = before.map((one) => readable(one));
  /** So far written in full. */
  const full: Manifest[] = [];
  /** Candidates: for a service the example or itself by default, for others whatever of its kind stands in full. */
  const comparedWith = (one: Manifest): Manifest[] => {
    const itself = defaults.filter((other) => nameOf(other) === nameOf(one));
    if (!serviceOf(one)) return [...itself, ...full.filter(({ kind }) => kind === one.kind)];
    const alike = all.filter((other) => sortOf(other) === sortOf(one));
    const like = alike.find((other) => serviceOf(other) === example) ?? alike[0];
    return like === one ? itself : [like, ...itself];
  };
  const groups = new Map<string, Manifest>();
  for (const one of all) {
    const short = comparedWith(one)
      .map((like) => shortened(one, like))
      .concat(one)
      .reduce((best, next) => (linesOf(next) < linesOf(best) ? next : best));
    if (short === one) full.push(one);
    const key = JSON.stringify({ ...short, name: undefined });
    const others = groups.get(key);
    groups.set(key, others ? { ...others, name: `${others.name}, ${short.name}` } : short);
  }
  return head + [...groups.values()].map(toYaml).join('---\n');
}

/** Returns what differs from another object, which need not have its name. */
function shortened(one: Manifest, like: Manifest): Manifest {
  const isDefault = nameOf(like) === nameOf(one);
  const base = isDefault ? like : renamed(like, ownName(like), ownName(one));
  const { kind, metadata } = one;
  return { kind, name: metadata.name, like: isDefault ? 'default' : like.metadata.name, ...differences(base, one) };
}

const linesOf = (one: Manifest) => toYaml(one).split('\n').length;

/** Kind and name, without the checksum in the name of a Job. */
const nameOf = ({ kind, metadata }: Manifest) => `${kind} ${metadata.name.replace(/-[0-9a-f]{8}$/, '')}`;

/** The service of objects such as order, order-pods and kafka-order. */
const serviceOf = ({ metadata }: Manifest) =>
  aliases.find((alias) => new RegExp(`^(kafka-)?${alias}(-\\w+)?$`).test(metadata.name));
const ownName = (one: Manifest): string => serviceOf(one) ?? one.metadata.name;
const sortOf = (one: Manifest) => nameOf(one).replace(serviceOf(one) ?? '', '*');

const renamed = (object: Manifest, from: string, to: string): Manifest =>
  JSON.parse(JSON.stringify(object).replaceAll(new RegExp(`\\b${from}\\b`, 'g'), to));

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null;
const sizeOf = (value: unknown) => JSON.stringify(value).length;
const isMap = (value: unknown): value is Fields => isObject(value) && !Array.isArray(value);

/** Texts of files as digests, and lists of items with names as maps. */
function readable(value: unknown): unknown {
  if (typeof value === 'string') return readableText(value);
  if (!isObject(value)) return value;
  if (isMap(value))
    return Object.fromEntries(Object.entries(withLabels(value)).map(([name, item]) => [name, readable(item)]));
  const items = value as Fields[];
  const names = new Set(items.map((item) => item?.name).filter((name) => typeof name === 'string'));
  if (names.size === 0 || names.size < items.length) return items.map(readable);
  const isValue = (item: Fields) => Object.keys(item).join() === 'value';
  return Object.fromEntries(items.map(({ name, ...item }) => [name, readable(isValue(item) ? item.value : item)]));
}

/** Returns the fields with the recommended labels as one of them. */
function withLabels(fields: Fields): Fields {
  const prefix = 'app.kubernetes.io';
  const isRecommended = ([key]: [string, unknown]) => key.startsWith(`${prefix}/`);
  const labels = Object.entries(fields).filter(isRecommended);
  if (labels.length < 2) return fields;
  const text = labels.map(([key, value]) => `${key.slice(prefix.length + 1)} ${value}`).join(', ');
  return { [prefix]: text, ...Object.fromEntries(Object.entries(fields).filter((entry) => !isRecommended(entry))) };
}

function readableText(text: string): string {
  const lines = text.split('\n').length;
  if (lines <= textLines) return text;
  return `${lines} lines, sha256:${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
}

/** The values that differ, and the keys of those that are gone; as a whole where their order does. */
function differences(before: Fields, after: Fields): Fields {
  const gone = Object.keys(before).filter((key) => !(key in after));
  const changed = Object.entries(after).flatMap(([key, item]): [string, unknown][] => {
    const other = before[key];
    if (JSON.stringify(other) === JSON.stringify(item)) return [];
    if (!isComparable(other, item)) return [[key, item]];
    const inner = differences(other as Fields, item as Fields);
    const isLonger = Object(other).length !== Object(item).length && sizeOf(inner) > sizeOf(item) / 2;
    return [isLonger ? [key, item] : joined([key, inner])];
  });
  return Object.fromEntries(gone.length > 0 ? [...changed, ['absent', gone.join(', ')]] : changed);
}

const isComparable = (before: unknown, after: unknown) =>
  isObject(before) && isObject(after) && Array.isArray(before) === Array.isArray(after) && isOrderedAs(before, after);

const isOrderedAs = (before: Fields, after: Fields) =>
  isDeepStrictEqual(
    Object.keys(before).filter((key) => key in after),
    Object.keys(after).filter((key) => key in before),
  );

/** One path for a map with one key. */
function joined([key, value]: [string, unknown]): [string, unknown] {
  const [[only, inner] = [], ...others] = isMap(value) ? Object.entries(value) : [];
  return only === undefined || others.length > 0 ? [key, value] : [`${key}.${only}`, inner];
}

function toYaml(value: unknown): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Collection: (_, node, ancestors) => {
      const parent = ancestors.at(-1);
      const key = isPair(parent) ? `${parent.key}: ` : '- ';
      const indent = 2 * ancestors.filter(isCollection).length - 2;
      // YAML needs no quotes, and spaces after commas and colons instead.
      const text = JSON.stringify(node).replaceAll('"', '').replaceAll(/[:,]/g, '$& ');
      if (indent + key.length + text.length <= width && node.items.length > 0) node.flow = true;
    },
  });
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}
