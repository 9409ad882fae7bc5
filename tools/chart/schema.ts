import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMap, parse, parseDocument, type YAMLMap } from 'yaml';
import { root } from '../paths.ts';
import { type Service, topology } from '../topology/topology.ts';
import { descriptionIn } from './readme.ts';
import { readShapes } from './variables.ts';

// Writes values.schema.json of the chart and its subcharts from their values.yaml. A value has the type of its default, and a map allows
// only the keys that it has. Comments before a key say the rest, as a YAML map without braces, such as "# @schema minimum: 1". A
// single word is a name in definitions.yaml: "# @schema port". With such a name, or a key of `whole`, the comment is the whole schema.
// `required: all` means every key of the map. A comment at the top of the file, with an empty line after it, is for the whole file.

type Schema = Record<string, unknown>;
type Values = YAMLMap<{ value: string; commentBefore?: string }>;

const definitions: Record<string, Schema> = parse(readFileSync(join(root, 'tools/chart/definitions.yaml'), 'utf8'));
const whole = ['$ref', 'type', 'enum', 'anyOf'];

function annotationIn(comment?: string | null): Schema {
  const lines = comment?.split('\n').flatMap((line) => /^ *@schema (.+)$/.exec(line)?.[1] ?? []) ?? [];
  const [line = ''] = lines;
  if (lines.length === 1 && /^\w+$/.test(line)) return { $ref: `#/definitions/${line}` };
  return lines.length > 0 ? parse(`{ ${lines.join(', ')} }`) : {};
}

/** @param node of the value; the keys of a map on several lines have comments of their own */
function schemaOf(value: unknown, node: unknown, annotation: Schema): Schema {
  if (whole.some((key) => key in annotation)) return annotation;
  if (Array.isArray(value)) return { type: 'array', ...annotation };
  if (value === null) return annotation;
  if (typeof value !== 'object') return { type: Number.isInteger(value) ? 'integer' : typeof value, ...annotation };
  const { required, properties: further, ...rest } = annotation;
  const own = isMap(node) ? propertiesOf(node as Values, value as Schema) : {};
  const properties = { ...own, ...(further as Schema) };
  return {
    type: 'object',
    ...(Object.keys(properties).length > 0 && { properties, additionalProperties: false }),
    ...(required !== undefined && { required: required === 'all' ? Object.keys(own) : required }),
    ...rest,
  };
}

const propertiesOf = (map: Values, values: Schema): Schema =>
  Object.fromEntries(
    map.items.map(({ key, value }, index) => {
      // The comment before the first key belongs to the map.
      const comments = [index === 0 && map.commentBefore, key.commentBefore].filter(Boolean).join('\n');
      const comment = comments.split('\n\n').at(-1);
      const description = descriptionIn(comment);
      const schema = schemaOf(values[key.value], value, annotationIn(comment));
      return [key.value, { ...(description !== undefined && { description }), ...schema }];
    }),
  );

/** Returns the definitions that a schema refers to, directly or through each other. */
function definitionsOf(schema: Schema, found: Record<string, Schema> = {}): Record<string, Schema> {
  for (const [, name = ''] of JSON.stringify(schema).matchAll(/"#\/definitions\/(\w+)"/g)) {
    const definition = definitions[name];
    if (!definition) throw new Error(`tools/chart/definitions.yaml has no ${name}.`);
    if (name in found) continue;
    found[name] = definition;
    definitionsOf(definition, found);
  }
  return found;
}

function textOf(schema: Schema): string {
  const all = { $schema: 'http://json-schema.org/draft-07/schema#', definitions: definitionsOf(schema), ...schema };
  return `${JSON.stringify(all, undefined, 2)}\n`;
}

function schemaOfFile(file: string): Schema & { properties: Schema } {
  const document = parseDocument(readFileSync(file, 'utf8'), { merge: true });
  const contents = document.contents as Values;
  const [ofFile = '', ...others] = contents.items[0]?.key.commentBefore?.split('\n\n') ?? [];
  const { properties: further, ...annotation } = others.length > 0 ? annotationIn(ofFile) : {};
  const properties = { ...propertiesOf(contents, document.toJS()), ...(further as Schema) };
  return { type: 'object', additionalProperties: false, ...annotation, properties };
}

interface ServiceSchema {
  properties?: { env?: { properties?: Schema }; calls?: { properties?: Schema } };
}

/**
 * Replaces env and calls of each service by the variables that it may have: those of its configSchema whose form is known here, without
 * those that only other services have in their values, such as variables of another consumer group of the same image.
 */
async function withVariables(properties: Schema): Promise<Schema> {
  const shapes = new Map(await readShapes());
  const blocks = new Map(topology.services.map((service) => [service, properties[service.alias] as ServiceSchema]));
  const own = ({ properties: { env, calls } = {} }: ServiceSchema) => ({ ...env?.properties, ...calls?.properties });
  const forms = Object.assign({}, ...[...blocks.values()].map(({ properties: { env } = {} }) => env?.properties));
  definitions.env = { properties: { ...forms, ...(definitions.env as { properties: Schema }).properties } };
  const known = new Set([definitions.env.properties as Schema, ...[...blocks.values()].map(own)].flatMap(Object.keys));

  function namesOf(service: Service, block: ServiceSchema): string[] {
    const { image, entry } = service;
    const shape = shapes.get(entry === 'dist/worker.js' ? `${image}-worker` : image) ?? {};
    const ofOthers = [...blocks.values()]
      .filter((other) => other !== block)
      .flatMap((other) => Object.keys(own(other)));
    return Object.keys(shape).filter((name) => known.has(name) && (name in own(block) || !ofOthers.includes(name)));
  }
  const schemas = [...blocks].map(([service, block]): [string, Schema] => {
    const names = namesOf(service, block);
    const ofSdk = { $ref: '#/definitions/ofSdk' };
    const propertyNames = names.length > 0 ? { anyOf: [ofSdk, { enum: names }] } : ofSdk;
    const urls = names.filter((name) => name.endsWith('_URL'));
    const calls = urls.length > 0 ? { propertyNames: { enum: urls } } : { maxProperties: 0 };
    return [service.alias, { properties: { calls, env: { allOf: [{ $ref: '#/definitions/env' }], propertyNames } } }];
  });
  return { ...properties, ...Object.fromEntries(schemas) };
}

/** The text of each values.schema.json, by its path in the chart. */
export async function chartSchemas(chart: string): Promise<Record<string, string>> {
  const store = schemaOfFile(join(chart, 'values.yaml'));
  const schemas = { '': { ...store, properties: await withVariables(store.properties) } };
  for (const name of readdirSync(join(chart, 'charts')))
    Object.assign(schemas, { [`charts/${name}/`]: schemaOfFile(join(chart, 'charts', name, 'values.yaml')) });
  return Object.fromEntries(
    Object.entries(schemas).map(([folder, schema]) => [`${folder}values.schema.json`, textOf(schema)]),
  );
}
