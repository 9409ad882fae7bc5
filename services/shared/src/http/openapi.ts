import { Router } from 'express';
import { z } from 'zod';
import { problemSchema } from './problem.ts';
import {
  type AnyRoute,
  allResponses,
  hasETag,
  type IdentityRule,
  type ProblemSpec,
  type ResponseSpec,
  takesAccount,
} from './route.ts';

/** The version of the API, not of OpenAPI (contract 10). */
const apiVersion = '1.0.0';

type Json = Record<string, unknown>;

const ifNoneMatch = z.object({
  'If-None-Match': z
    .string()
    .optional()
    .describe('The ETag that the client has; the answer is 304 while it is current.'),
});

/** Adds a field to each operation, beside the security scheme of this name. If the field is empty, the page sends the scheme's value. */
const idAccount: Json = {
  name: 'id-account',
  in: 'header',
  required: false,
  description: 'The account id that the gateway sets. Clients of the gateway never send it.',
  schema: { type: 'string', format: 'uuid' },
};

/** Makes the OpenAPI 3.1 document of routes. Schemas with an id become components. */
export function openApiDocument(title: string, routes: AnyRoute[]) {
  const schemas: Json = {};
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    if (route.operationId === undefined) continue;
    const path = paths[route.path] ?? {};
    path[route.method] = operation(route, schemas);
    paths[route.path] = path;
  }
  return {
    openapi: '3.1.0',
    info: { title, version: apiVersion },
    servers: [{ url: '/' }],
    paths,
    components: {
      schemas,
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
        credential: { type: 'http', scheme: 'bearer', description: 'The credential of a service or an operator.' },
        'id-account': {
          type: 'apiKey',
          in: 'header',
          name: 'id-account',
          description: 'The account id that the gateway sets after checking the token.',
        },
      },
    },
  };
}

/** @param scopes of which an API key needs one, if there are any; OpenAPI 3.1 takes them as role names */
function securityOf(identity: IdentityRule, scopes: string[]): Json {
  if (identity === 'none') return {};
  const byCredential = identity === 'account' ? [] : [{}, { credential: [] }];
  const byKey = (scopes.length === 0 ? [[]] : scopes.map((scope) => [scope])).map((bearer) => ({
    'id-account': [],
    bearer,
  }));
  const byAccount = takesAccount(identity) ? [{ 'id-account': [] }, ...byKey] : [];
  return { security: [...byCredential, ...byAccount] };
}

function operation(route: AnyRoute, schemas: Json): Json {
  const declared = Object.entries(allResponses(route)).map(([status, one]) => [status, response(one, schemas)]);
  const other = { description: 'An unexpected failure: a 500 with a trace id.', content: problemContent(schemas) };
  return {
    operationId: route.operationId,
    summary: route.summary,
    tags: [route.tag],
    ...securityOf(route.identity, [route.scope ?? []].flat()),
    parameters: [
      ...parameters('path', route.params, schemas),
      ...parameters('query', route.query, schemas),
      ...(takesAccount(route.identity) ? [idAccount] : []),
      ...parameters('header', hasETag(route) ? ifNoneMatch : undefined, schemas),
      ...parameters('header', route.headers, schemas),
      ...parameters('cookie', route.cookies, schemas),
    ],
    ...(route.lines && { requestBody: { required: true, content: inLines(route.lines, schemas) } }),
    ...(route.body && {
      requestBody: { required: true, content: { 'application/json': { schema: jsonSchema(route.body, schemas) } } },
    }),
    responses: { ...Object.fromEntries(declared), default: other },
  };
}

function response(declared: ResponseSpec | ProblemSpec, schemas: Json): Json {
  const { description, headers } = declared;
  const { body, lines, events, html } = 'problem' in declared ? {} : declared;
  const header = ([name, description]: [string, string]) => [name, { description, schema: { type: 'string' } }];
  return {
    description,
    ...(headers && { headers: Object.fromEntries(Object.entries(headers).map(header)) }),
    ...('problem' in declared && { content: problemContent(schemas) }),
    ...(body && {
      content: {
        'application/json': { schema: jsonSchema(body, schemas) },
        ...(html && { 'text/html': { schema: { type: 'string' } } }),
      },
    }),
    ...(lines && { content: inLines(lines, schemas) }),
    ...(events && { content: { 'text/event-stream': eventStream(events, schemas) } }),
  };
}

/** OpenAPI 3.1 cannot describe the events of a stream, nor lines. Each line of data is JSON of this schema. */
const eventStream = (events: z.ZodType, schemas: Json): Json => ({
  schema: { type: 'string', contentMediaType: 'application/json', contentSchema: jsonSchema(events, schemas) },
});

const inLines = (line: z.ZodType, schemas: Json): Json => ({ 'application/x-ndjson': eventStream(line, schemas) });

function problemContent(schemas: Json): Json {
  return { 'application/problem+json': { schema: jsonSchema(problemSchema, schemas) } };
}

function parameters(place: string, schema: z.ZodType | undefined, schemas: Json): Json[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = jsonSchema(schema, schemas) as { properties?: Json; required?: string[] };
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...((property as Json).type === 'object' && { style: 'deepObject' }), // name[key]=value
    schema: property,
  }));
}

/** Returns the JSON Schema of the input. Named schemas and zod's `$defs` move to `schemas`, the components. */
export function jsonSchema(schema: z.ZodType, schemas: Json): Json {
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', override: withInput }) as Json;
  const { $schema: _, $defs = {}, id, ...own } = json;
  const named = { ...($defs as Record<string, Json>), ...(typeof id === 'string' ? { [id]: own } : {}) };
  for (const [name, definition] of Object.entries(named)) {
    const { id: _id, ...rest } = definition;
    schemas[name] = atComponents(rest);
  }
  return typeof id === 'string' ? { $ref: `#/components/schemas/${id}` } : atComponents(own);
}

/** Adds default and examples of transformed values. zod omits them because it takes them for output; here they describe the input. */
function withInput({ zodSchema, jsonSchema: json }: { zodSchema: z.core.$ZodTypes; jsonSchema: Json }): void {
  const { examples } = z.globalRegistry.get(zodSchema) ?? {};
  if (examples !== undefined) json.examples = examples;
  const { def } = zodSchema._zod;
  if (def.type === 'default' && typeof def.defaultValue === 'number') json.default = def.defaultValue;
}

function atComponents(schema: Json): Json {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'));
}

/** The documentation endpoints (contract 8). They are rarely requested, so the document and the libraries are made and loaded on demand. */
export function openApiPages(title: string, routes: AnyRoute[]): Router {
  let made: Json | undefined;
  const document = () => (made ??= openApiDocument(title, routes));
  const router = Router({ strict: true, caseSensitive: true });
  router.get('/v3/api-docs', (_req, res) => {
    res.json(document());
  });
  router.get('/v3/api-docs.yaml', async (_req, res) => {
    const { stringify } = await import('yaml');
    res.type('application/yaml').send(stringify(document()));
  });
  router.get('/apidocs-ui.html', (_req, res) => res.redirect('/apidocs-ui/index.html'));
  let ui: Promise<Router> | undefined;
  router.use('/apidocs-ui', async (req, res, next) => {
    ui ??= uiPages(document());
    (await ui)(req, res, next);
  });
  return router;
}

async function uiPages(document: object): Promise<Router> {
  const { default: swaggerUi } = await import('swagger-ui-express');
  const router = Router({ strict: true, caseSensitive: true });
  // The page must come before the files: swagger-ui's own index shows another API.
  return router.get('/index.html', swaggerUi.setup(document)).use(swaggerUi.serve);
}
