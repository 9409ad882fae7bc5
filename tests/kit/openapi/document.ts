import { openApiDocument } from '@store/shared/http/openapi';
import type { AnyRoute } from '@store/shared/http/route';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

type Compile = (schema: unknown) => ValidateFunction;

/**
 * The OpenAPI document of all routes, internal ones included, and compilers for the schemas in it: `compile` for
 * requests, whose unknown fields are ignored, and `compileReply`, which lets a reply have no field that is not declared.
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

/** Compiles schemas, whose references lead to these components of a document. */
export function compilerOf(components: unknown): Compile {
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  ajv.addSchema({ $id: 'document', components });
  return (schema) => ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')));
}

/** The same schema without further properties, wherever it does not say itself what they may be. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  return typeof copy.properties === 'object' ? { additionalProperties: false, ...copy } : copy;
}
