import { openApiDocument } from '@store/shared/http/openapi';
import type { AnyRoute } from '@store/shared/http/route';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** The OpenAPI document of all routes, internal ones included, and a compiler for the schemas in it. */
export function documentOf(routes: AnyRoute[]) {
  const document = openApiDocument(
    'under test',
    routes.map((route) => ({ ...route, internal: false })),
  );
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  ajv.addSchema({ $id: 'document', components: document.components });
  const compile = (schema: unknown): ValidateFunction =>
    ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')));
  return { document, compile };
}
