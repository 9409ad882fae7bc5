import { bundleFromString, createConfig } from '@redocly/openapi-core';
import type { Operation } from './build-services.ts';
import { type Schema, schemaChanges } from './schema-changes.ts';

/**
 * Returns the changes of an OpenAPI document by which a client of the old one fails, a sentence each. More operations, optional
 * parameters and fields, and other failures are no such changes: clients ignore fields that they do not know.
 * @param old as YAML, like `now`
 */
export async function breakingChanges(old: string, now: string): Promise<string[]> {
  type Api = { paths: Record<string, Record<string, Operation>> };
  const [before, after] = [await resolved<Api>(old), await resolved<Api>(now)];
  return Object.entries(before.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      const at = `${method.toUpperCase()} ${path}`;
      const current = after.paths[path]?.[method];
      if (current === undefined) return [`${at} is gone`];
      return operationChanges(operation, current).map((change) => `${at}: ${change}`);
    }),
  );
}

function operationChanges(old: Operation, now: Operation): string[] {
  const found = [
    ...schemaChanges(requestOf(old), requestOf(now), 'sent'),
    ...schemaChanges(responseOf(old, now), responseOf(now, old), 'read'),
  ];
  if (old.security?.length === 0 && now.security?.length !== 0) found.push('needs a token');
  if (old.operationId !== now.operationId)
    found.push(`is called ${now.operationId}, and was called ${old.operationId}`);
  return found;
}

/** All that a client sends, as the schema of one object. */
function requestOf({ parameters = [], requestBody }: Operation): Schema {
  const nameOf = (parameter: { name: string; in: string }) => `${parameter.in} ${parameter.name}`;
  const required = parameters.filter((parameter) => parameter.required).map(nameOf);
  return {
    properties: {
      ...Object.fromEntries(parameters.map((parameter) => [nameOf(parameter), parameter.schema])),
      ...schemasOf('body', requestBody?.content),
    },
    required: requestBody?.required ? [...required, 'body'] : required,
  };
}

/** All that a client reads, as the schema of one object. A failure counts where both have it. */
function responseOf({ responses }: Operation, other: Operation): Schema {
  const counted = Object.entries(responses).filter(([status]) => /^[23]/.test(status) || status in other.responses);
  const properties = counted.map(([status, { headers = {}, content }]) => ({
    [status]: {},
    ...Object.fromEntries(Object.keys(headers).map((name) => [`${status} ${name}`, {}])),
    ...schemasOf(status, content),
  }));
  return { properties: Object.assign({}, ...properties) };
}

const schemasOf = (at: string, content: Record<string, { schema?: Schema }> = {}) =>
  Object.fromEntries(Object.entries(content).map(([type, { schema = {} }]) => [`${at} ${type}`, schema]));

/**
 * Returns the changes of an AsyncAPI document by which a consumer of the old one fails on new events, or one of the new on old
 * events, which a topic holds for days.
 */
export async function eventChanges(old: string, now: string): Promise<string[]> {
  const [before, after] = await Promise.all(
    [old, now].map(async (text): Promise<Schema> => {
      type Events = { components: { messages: Record<string, { payload: Schema }> } };
      const { messages } = (await resolved<Events>(text)).components;
      return { properties: Object.fromEntries(Object.entries(messages).map(([kind, { payload }]) => [kind, payload])) };
    }),
  );
  const directions = ['read', 'sent'] as const;
  const found = directions.flatMap((direction) => schemaChanges(before ?? {}, after ?? {}, direction));
  return [...new Set(found)].map((change) => `The event ${change}`);
}

/**
 * Parses a document, with what its references name in their place.
 * @throws Error where a reference names nothing
 */
async function resolved<Document>(source: string): Promise<Document> {
  const { bundle, problems } = await bundleFromString({ source, config: await createConfig({}), dereference: true });
  if (problems[0]) throw new Error(problems[0].message);
  return bundle.parsed as Document;
}
