import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Document, parse, visit } from 'yaml';
import { topology } from '../topology/topology.ts';

// Objects as a reviewer reads them, so that any change shows, and shows once. Only the place of what is added to a list does not.

const head = `# Written by make golden: what the chart renders, one object of each sort in full, of the others what differs. Items with names
# are maps. "like" is what something is compared with, "absent" what of it is not there, "as" the place of an equal value,
# "sha256" that of a text of many lines.
`;

type Fields = Record<string, unknown>;
// biome-ignore lint/suspicious/noExplicitAny: Kubernetes' own objects
type Manifest = any;

/** The service that stands for all: it has a database, a consumer group, a route and calls. */
const example = 'inventory';
const aliases = topology.services.map(({ alias }) => alias);

/** Characters of JSON: above, a value is compared with others; up to it, a value takes one line. */
const length = 100;
/** Lines of a text that is a file of the chart: above, it is written as its digest. */
const textLines = 10;

/** @param before the objects of the default values, with which those of the same name are compared */
export function goldenText(objects: Manifest[], before: Manifest[] = []): string {
  const all: Manifest[] = objects.map((one) => readable(one));
  const defaults: Manifest[] = before.map((one) => readable(one));
  const examples = all.filter((one) => serviceOf(one) === example);
  const comparedWith = (one: Manifest): Manifest => {
    const isAlike = (other: Manifest) => sortOf(other) === sortOf(one);
    const like = serviceOf(one) && (examples.find(isAlike) ?? all.find(isAlike));
    return like && like !== one ? like : defaults.find((other) => nameOf(other) === nameOf(one));
  };
  const inFull = all.filter((one) => !comparedWith(one));
  const places = new Map<string, string>();
  for (const one of inFull) addPlaces(places, one, nameOf(one));
  const groups = new Map<string, Manifest>();
  for (const one of all) {
    const short = shortest(one, comparedWith(one), places);
    const key = JSON.stringify({ ...short, name: undefined });
    const others = groups.get(key);
    groups.set(key, others ? { ...others, name: `${others.name}, ${short.name}` } : short);
  }
  return head + [...groups.values()].map(toYaml).join('---\n');
}

/** @param like what it is compared with; without, it is written in full */
function shortest(one: Manifest, like: Manifest | undefined, places: Map<string, string>): Manifest {
  if (!like) return shortened(one, nameOf(one), places);
  const { kind, metadata } = one;
  const isDefault = nameOf(like) === nameOf(one);
  const base = isDefault ? like : renamed(like, serviceOf(like) ?? '', serviceOf(one) ?? '');
  const changes = {
    kind,
    name: metadata.name,
    like: isDefault ? 'default' : like.metadata.name,
    ...differences(base, one),
  };
  return shortened(changes, '', addPlaces(new Map(places), one, ''));
}

/** Kind and name, without the checksum in the name of a Job. */
const nameOf = ({ kind, metadata }: Manifest) => `${kind} ${metadata.name.replace(/-[0-9a-f]{8}$/, '')}`;

/** The service of objects such as order, order-pods and kafka-order. */
const serviceOf = ({ metadata }: Manifest) =>
  aliases.find((alias) => new RegExp(`^(kafka-)?${alias}(-\\w+)?$`).test(metadata.name));
const sortOf = (one: Manifest) => nameOf(one).replace(serviceOf(one) ?? '', '*');

const renamed = (object: Manifest, from: string, to: string): Manifest =>
  JSON.parse(JSON.stringify(object).replaceAll(new RegExp(`\\b${from}\\b`, 'g'), to));

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null;
const sizeOf = (value: unknown) => JSON.stringify(value).length;
const isMap = (value: unknown): value is Fields => isObject(value) && !Array.isArray(value);

function readable(value: unknown, key = ''): unknown {
  if (key === 'envoy.yaml') return readable(parse(String(value), { maxAliasCount: -1 }));
  if (typeof value === 'string') return readableText(value);
  if (!Array.isArray(value))
    return isMap(value)
      ? Object.fromEntries(Object.entries(withLabels(value)).map(([name, item]) => [name, readable(item, name)]))
      : value;
  const names = new Set(value.map((item) => item?.name).filter((name) => typeof name === 'string'));
  if (names.size === 0 || names.size < value.length) return value.map((item) => readable(item));
  const isValue = (item: Fields) => Object.keys(item).join() === 'value';
  return Object.fromEntries(value.map(({ name, ...item }) => [name, readable(isValue(item) ? item.value : item)]));
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
  if (text.startsWith('type.googleapis.com/')) return text.split('.').slice(-2).join('.');
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

const under = (path: string, key: string) => [path, key].filter(Boolean).join('.');

/** Adds the first place of each value that is large. */
function addPlaces(places: Map<string, string>, value: unknown, path: string): Map<string, string> {
  const json = JSON.stringify(value);
  if (!isObject(value) || json.length <= length) return places;
  if (!places.has(json)) places.set(json, path);
  for (const [key, item] of Object.entries(value)) addPlaces(places, item, under(path, key));
  return places;
}

/** The value in fewer words: what is written elsewhere as its place, and an item that is much like one before as what differs. */
function shortened(value: unknown, path: string, places: Map<string, string>): unknown {
  if (!isObject(value)) return value;
  const place = places.get(JSON.stringify(value)) ?? path;
  if (place !== path) return `as ${place}`;
  const before: [string, Fields][] = [];
  const items = Object.entries(value).map(([key, item]): [string, unknown] => {
    if (!isMap(item) || sizeOf(item) <= length) return [key, shortened(item, under(path, key), places)];
    const likes = before.map(([like, other]) => ({
      like: Array.isArray(value) ? Number(like) : like,
      ...differences(other, item),
    }));
    const [shortest] = likes.toSorted((one, other) => linesOf(one) - linesOf(other));
    const isLike = shortest && linesOf(shortest) < linesOf(item) - 2;
    if (!isLike) before.push([key, item]);
    return [key, shortened(isLike ? shortest : item, under(path, key), places)];
  });
  return Array.isArray(value) ? items.map(([, item]) => item) : Object.fromEntries(items.map(joined));
}

/** One path for a map with one key. */
function joined([key, value]: [string, unknown]): [string, unknown] {
  const [[only, inner] = [], ...others] = isMap(value) ? Object.entries(value) : [];
  return only === undefined || others.length > 0 ? [key, value] : [`${key}.${only}`, inner];
}

const linesOf = (value: unknown) => toYaml(value).split('\n').length;

function toYaml(value: unknown): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Collection: (_, node) => {
      if (sizeOf(node) <= length && node.items.length > 0) node.flow = true;
    },
  });
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}
