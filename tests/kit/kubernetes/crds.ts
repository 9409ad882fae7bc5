import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { parseAllDocuments } from 'yaml';

interface Schema {
  properties?: Record<string, Schema>;
  items?: Schema;
  pattern?: string;
  additionalProperties?: Schema | boolean;
  'x-kubernetes-preserve-unknown-fields'?: boolean;
}

interface Definition {
  kind: string;
  spec: {
    group: string;
    names: { kind: string };
    versions: { name: string; served: boolean; schema: { openAPIV3Schema: Schema } }[];
  };
}

/** A folder with custom resource definitions as published by their projects. */
const folder = process.env.CRDS;
if (!folder) console.warn('CRDS is not set: no resource is checked against the definition of its kind.');

export const itWithCrds = folder ? it : it.skip;

/**
 * Returns the errors of a resource against the definition of its kind; empty if it is valid. Leaves CEL rules to the API server.
 * @throws Error if the folder has no such definition
 */
export function problemsOf(resource: { apiVersion: string; kind: string }): string[] {
  const { openAPIV3Schema } = schemaOf(resource);
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
  const validate = ajv.compile(
    closed({ ...openAPIV3Schema, properties: { ...openAPIV3Schema.properties, metadata: {} } }),
  );
  validate(resource);
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

function schemaOf({ apiVersion, kind }: { apiVersion: string; kind: string }) {
  for (const file of readdirSync(folder ?? '').filter((name) => /\.ya?ml$/.test(name))) {
    for (const document of parseAllDocuments(readFileSync(join(folder ?? '', file), 'utf8'))) {
      const definition: Definition | null = document.toJS();
      if (definition?.kind !== 'CustomResourceDefinition' || definition.spec.names.kind !== kind) continue;
      const { group, versions } = definition.spec;
      const found = versions.find(({ name, served }) => served && `${group}/${name}` === apiVersion);
      if (found) return found.schema;
    }
  }
  throw new Error(`${folder} has no definition of ${kind} in ${apiVersion}.`);
}

/** Makes unknown fields errors, because the API server would silently drop them. */
function closed(schema: Schema): Schema {
  const { properties, items, additionalProperties, pattern } = schema;
  const isOpen = additionalProperties !== undefined || schema['x-kubernetes-preserve-unknown-fields'];
  return {
    ...schema,
    // Go syntax that JavaScript lacks
    ...(pattern?.includes('(?i)') && { pattern: '' }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, closed(value)])),
      ...(!isOpen && { additionalProperties: false }),
    }),
    ...(items && { items: closed(items) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: closed(additionalProperties) }),
  };
}
