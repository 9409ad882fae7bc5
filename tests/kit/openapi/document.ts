import { openApiDocument } from '@store/shared/http/openapi';
import type { AnyRoute } from '@store/shared/http/route';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

type Compile = (schema: unknown) => ValidateFunction;

/**
 * The OpenAPI document of all routes, including internal ones, and compilers for its schemas: `compile` is for requests and
 * ignores unknown fields; `compileReply` is for responses and rejects undeclared fields.
 */
export function documentOf(routes: AnyRoute[]) {
  const document = openApiDocument(
    'under test',
    routes.map((route) => ({ ...route, operationId: route.path, summary: '', tag: '' })),
  );
  const { components } = document;
  const replies = compilerOf(closed(components));
  return {
    document,
    compile: compilerOf(components),
    compileReply: ((schema) => replies(closed(schema))) satisfies Compile,
  };
}

/** Compiles schemas that refer to these components of a document. */
export function compilerOf(components: unknown): Compile {
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  ajv.addSchema({ $id: 'document', components });
  return (schema) => ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')));
}

/** The same schema, but without additional properties unless it defines them itself. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  return typeof copy.properties === 'object' ? { additionalProperties: false, ...copy } : copy;
}
