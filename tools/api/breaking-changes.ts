import type { asyncDocument } from './async-document.ts';
import type { GatewayDocument, Operation } from './gateway-document.ts';
import { type Direction, schemaChanges } from './schema-changes.ts';

type Json = Record<string, unknown>;
type EventDocument = Pick<ReturnType<typeof asyncDocument>, 'components'>;
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
type Response = Body & { headers?: Json };

/**
 * Returns the changes of an OpenAPI document by which a client of the old one fails, a sentence each. More operations, optional
 * parameters and fields, and other failures are no such changes: clients ignore fields that they do not know.
 */
export function breakingChanges(old: GatewayDocument, now: GatewayDocument): string[] {
  const found: string[] = [];
  const [before, after] = [resolved(old), resolved(now)];
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
export function eventChanges(old: EventDocument, now: EventDocument): string[] {
  const [before, after] = [resolved(old).components.messages, resolved(now).components.messages];
  return Object.entries(before).flatMap(([kind, { payload }]) => {
    const current = after[kind as keyof typeof after];
    if (current === undefined) return [`The event ${kind} is gone`];
    const [then, next] = [payload as Json, current.payload as Json];
    const directions = ['read', 'sent'] as const;
    return [...new Set(directions.flatMap((direction) => schemaChanges(then, next, direction, `The event ${kind}`)))];
  });
}

/** The document with what its references name in their place. No schema contains itself. */
function resolved<D extends { components: object }>(document: D): D {
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit);
    if (typeof value !== 'object' || value === null) return value;
    const { $ref } = value as { $ref?: string };
    if ($ref === undefined) return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, visit(one)]));
    const [, kind, name] = /^#\/components\/(\w+)\/(\w+)$/.exec($ref) ?? [];
    const named = (document.components as Record<string, Json>)[kind ?? ''];
    if (named === undefined || name === undefined) throw new Error(`${$ref} is not in the document.`);
    return visit(named[name]);
  };
  return {
    ...document,
    ...('paths' in document && { paths: visit(document.paths) }),
    components: visit(document.components),
  } as D;
}
