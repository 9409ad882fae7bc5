import { bundleFromString, createConfig } from '@redocly/openapi-core';
import type { GatewayDocument, Operation } from './gateway-document.ts';
import { type Direction, schemaChanges } from './schema-changes.ts';

type Json = Record<string, unknown>;
interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema: Json;
}
interface Body {
  required?: boolean;
  content?: Record<string, { schema: Json }>;
}
interface EventDocument {
  components: { messages: Record<string, { payload: Json }> };
}
type Response = Body & { headers?: Json };

/**
 * Returns the changes of an OpenAPI document by which a client of the old one fails, a sentence each. More operations, optional
 * parameters and fields, and other failures are no such changes: clients ignore fields that they do not know.
 * @param old as YAML, like `now`
 */
export async function breakingChanges(old: string, now: string): Promise<string[]> {
  const found: string[] = [];
  const [before, after] = [await resolved<GatewayDocument>(old), await resolved<GatewayDocument>(now)];
  for (const [path, methods] of Object.entries(before.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const at = `${method.toUpperCase()} ${path}`;
      const current = after.paths[path]?.[method];
      if (current === undefined) found.push(`${at} is gone`);
      else found.push(...operationChanges(operation, current, at));
    }
  }
  return found;
}

function operationChanges(old: Operation, now: Operation, at: string): string[] {
  const found: string[] = [];
  if (old.operationId !== now.operationId)
    found.push(`${at} is called ${now.operationId}, and was called ${old.operationId}`);
  if (old.security?.length === 0 && now.security?.length !== 0) found.push(`${at} needs a token`);

  const [parameters, current] = [parametersOf(old), parametersOf(now)];
  for (const [key, parameter] of parameters) {
    const same = current.get(key);
    if (same === undefined) found.push(`${at}: ${key} is gone`);
    else found.push(...schemaChanges(parameter.schema, same.schema, 'sent', `${at}: ${key}`));
  }
  for (const [key, { required }] of current)
    if (required && !parameters.get(key)?.required) found.push(`${at}: ${key} is required`);

  const [body, bodyNow] = [old.requestBody as Body | undefined, now.requestBody as Body | undefined];
  if (bodyNow?.required && !body?.required) found.push(`${at}: a body is required`);
  if (body) found.push(...contentChanges(body, bodyNow ?? {}, 'sent', `${at}: the body`));
  for (const [status, response] of Object.entries(old.responses as Record<string, Response>)) {
    const answer = now.responses[status] as Response | undefined;
    const isSuccess = /^[23]/.test(status);
    if (answer === undefined) {
      if (isSuccess) found.push(`${at}: ${status} is gone`);
      continue;
    }
    found.push(...contentChanges(response, answer, 'read', `${at}: ${status}`));
    for (const header of Object.keys(response.headers ?? {}))
      if (!(header in (answer.headers ?? {}))) found.push(`${at}: ${status} has no ${header}`);
  }
  return found;
}

function contentChanges({ content = {} }: Body, now: Body, direction: Direction, at: string): string[] {
  return Object.entries(content).flatMap(([type, { schema }]) => {
    const current = now.content?.[type];
    return current ? schemaChanges(schema, current.schema, direction, at) : [`${at} is no longer ${type}`];
  });
}

const parametersOf = ({ parameters = [] }: Operation) =>
  new Map((parameters as unknown as Parameter[]).map((one) => [`the ${one.in} parameter ${one.name}`, one]));

/**
 * Returns the changes of an AsyncAPI document by which a consumer of the old one fails on new events, or one of the new on old
 * events, which a topic holds for days.
 */
export async function eventChanges(old: string, now: string): Promise<string[]> {
  const [before, after] = [await resolved<EventDocument>(old), await resolved<EventDocument>(now)];
  return Object.entries(before.components.messages).flatMap(([kind, { payload }]) => {
    const current = after.components.messages[kind]?.payload;
    if (current === undefined) return [`The event ${kind} is gone`];
    const directions = ['read', 'sent'] as const;
    const changes = directions.flatMap((direction) => schemaChanges(payload, current, direction, `The event ${kind}`));
    return [...new Set(changes)];
  });
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
