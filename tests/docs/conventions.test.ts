import { parse } from 'yaml';
import { read } from '../kit/read.ts';

// Conventions of the specification that apply to all operations.

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document
type Any = any;
const { paths, components }: Any = parse(read('docs/openapi.yaml'));
const { components: ofEvents }: Any = parse(read('docs/asyncapi.yaml'));
const operations = Object.entries<Any>(paths).flatMap(([path, methods]) =>
  Object.entries<Any>(methods).map(([method, operation]) => ({ method, path, ...operation })),
);

/** The names of all properties below a schema, each with its parent. */
function fieldsIn(node: Any, owner: string): { owner: string; field: string }[] {
  if (typeof node !== 'object' || node === null) return [];
  const own = node.type === 'object' || node.properties ? Object.keys(node.properties ?? {}) : [];
  return [
    ...own.map((field) => ({ owner, field })),
    ...Object.entries(node).flatMap(([name, value]) => (name === 'examples' ? [] : fieldsIn(value, owner))),
  ];
}

describe('names', () => {
  const isCamelCase = (name: string) => /^[a-z]+([A-Z][a-z]*|\d+)*$/.test(name);

  it('of fields are camelCase, except those of a station, which the specification lists', () => {
    const schemas = [...Object.entries<Any>(components.schemas), ...Object.entries<Any>(ofEvents.schemas)];
    const inOperations = operations.flatMap((one) => fieldsIn(one, `${one.method} ${one.path}`));
    const payloads = Object.entries<Any>(ofEvents.messages).flatMap(([name, { payload }]) => fieldsIn(payload, name));
    const all = [...schemas.flatMap(([name, schema]) => fieldsIn(schema, name)), ...inOperations, ...payloads];
    expect(all.length).toBeGreaterThan(150);
    const others = all.filter(({ field }) => !isCamelCase(field));
    expect([...new Set(others.map(({ owner, field }) => `${owner}.${field}`))].sort()).toEqual([
      'StationStatus.bikes_available',
      'StationStatus.docks_available',
      'StationStatus.station_id',
    ]);
  });

  it('of parameters in queries and paths are camelCase, except one of the status API', () => {
    const parameters = operations.flatMap((one) => one.parameters ?? []);
    const named = parameters.filter((one: Any) => one.in === 'query' || one.in === 'path').map(({ name }: Any) => name);
    expect(named.length).toBeGreaterThan(40);
    expect(named.filter((name: string) => !isCamelCase(name))).toEqual(['station_id']);
  });
});

describe('paths', () => {
  const segmentsOf = (path: string) => path.split('/').filter((segment) => segment !== '');
  const collections = Object.keys(paths).flatMap((path) => {
    const segments = segmentsOf(path);
    return segments.filter((_, at) => segments[at + 1]?.startsWith('{')); // collections, whose members have ids
  });

  it('are lower case and hyphenated', () => {
    const fixed = Object.keys(paths)
      .flatMap(segmentsOf)
      .filter((one) => !one.startsWith('{'));
    expect(fixed.filter((one) => !/^[a-z\d]+(-[a-z\d]+)*$/.test(one))).toEqual([]);
  });

  it('of collections are plural nouns', () => {
    const paged = operations
      .filter(({ parameters = [] }) => parameters.some(({ name }: Any) => name === 'size'))
      .map(({ path }) => segmentsOf(path).at(-1));
    const created = operations
      .filter(({ method, responses }) => method === 'post' && responses[201]?.headers?.Location)
      .map(({ path }) => segmentsOf(path).at(-1));
    const all = new Set([...collections, ...paged, ...created]);
    const known = [
      'accounts',
      'sessions',
      'keys',
      'orders',
      'refunds',
      'shipments',
      'products',
      'imports',
      'notifications',
      'webhooks',
      'deliveries',
      'secrets',
    ];
    expect(all).toEqual(new Set([...known, ...others]));
  });
  /** An order has only one cancellation; a product's stock is not a collection; register is specified. */
  const others = ['credit-notes', 'cancellation', 'service-accounts', 'stock', 'register'];

  it('take filter, sort and page in the query, and ids and numbers of documents in the path', () => {
    const inputs = operations.flatMap(({ method, parameters = [] }) =>
      method === 'get' ? parameters.filter((one: Any) => one.in !== 'header' && one.in !== 'cookie') : [],
    );
    expect(inputs.filter((one: Any) => one.in === 'path' && !/^(id|\w+Id|number)$/.test(one.name))).toEqual([]);
    expect(operations.filter(({ method, requestBody }) => method === 'get' && requestBody)).toEqual([]);
  });
});

it('every list is bounded by a size or limit of at most 1000, or by the number of items that may exist', () => {
  const isList = ({ method, responses }: Any) => {
    const schema = responses[200]?.content?.['application/json']?.schema;
    return method === 'get' && (schema?.type === 'array' || /(Page|sOut)$/.test(schema?.$ref ?? ''));
  };
  const lists = operations.filter(isList);
  expect(lists.length).toBeGreaterThan(7);
  const unbounded = lists.filter(({ parameters = [] }) => {
    const size = parameters.find(({ name }: Any) => name === 'size' || name === 'limit');
    return size === undefined || !(size.schema.maximum <= 1_000) || size.schema.minimum !== 1;
  });
  expect(unbounded.map(({ path }) => path).sort()).toEqual([
    '/accounts', // only the caller's
    '/accounts/{id}/sessions', // only sessions that have not ended
    '/auth/keys', // at most 100
    '/auth/service-accounts', // at most 100
    '/auth/service-accounts/{id}/keys', // at most two
    '/orders/{id}/refunds', // at most 100 by operators
    '/orders/{id}/shipments', // at most one
    '/products/availability', // as many as requested, at most 100
    '/products/categories', // at most 1,000
    '/webhooks', // at most 1,000
  ]);
});
