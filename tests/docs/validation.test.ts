import { type BuiltService, buildServices, type Operation, type Schema } from '../../tools/api/build-services.ts';
import { serve } from '../kit/listen.ts';
import { compilerOf } from '../kit/openapi/document.ts';
import {
  fieldMutations,
  isRepeatable,
  mayBeValid,
  type Sent,
  sample,
  withQuery,
} from '../kit/openapi/fuzz-mutations.ts';
import { headerValues, queryValues } from '../kit/openapi/fuzz-values.ts';
import { send } from '../kit/openapi/send.ts';
import { ownSentence } from '../kit/openapi/sentences.ts';

interface BadValue {
  /** The place of the value, such as `query.size` or `body`. */
  place: string;
  request: Partial<Sent>;
}

const id = '00000000-0000-4000-8000-000000000001';

/** Values that the document of an operation does not allow, for each place of a value. */
function badValues(
  path: string,
  { parameters = [], requestBody }: Operation,
  schemas: BuiltService['schemas'],
): BadValue[] {
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  // A condition that nothing fulfils is not an error (RFC 9110, 13.1).
  const inHeaders = parameters.filter((parameter) => parameter.in === 'header' && !/^if-/i.test(parameter.name));
  return [
    ...inQuery.flatMap(({ name, schema }) => {
      const [given, place] = [schema as Parameters<typeof sample>[0], `query.${name}`];
      const values = queryValues.filter((value) => !mayBeValid(given, name, value)).map((value) => `${name}=${value}`);
      const often = `${name}=${sample(given)}&`.repeat(isRepeatable(given) ? 200 : 2);
      return [...values, often].map((query) => ({ place, request: { path: withQuery(path, query) } }));
    }),
    ...inHeaders.flatMap(({ name }) =>
      headerValues.map((value) => ({ place: `header.${name}`, request: { headers: { [name]: value } } })),
    ),
    ...badBodies(requestBody?.content['application/json']?.schema, schemas).map((body) => ({
      place: 'body',
      request: { body },
    })),
  ];
}

function badBodies(schema: Schema | undefined, schemas: BuiltService['schemas']): string[] {
  if (schema === undefined) return [];
  const isValid = compilerOf({ schemas })(schema);
  const exampleOf = (property: Schema): unknown => {
    const { type, properties, items, format } = schemas[property.$ref?.split('/').at(-1) ?? ''] ?? property;
    if (properties !== undefined)
      return Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, exampleOf(value)]));
    if (items !== undefined) return [exampleOf(items)];
    if (type === 'integer' || type === 'number') return 1;
    return format === 'uuid' ? id : 'a text';
  };
  const mutations = fieldMutations(exampleOf(schema) as object, isValid).map(({ body }) => String(body));
  return ['[]', '1', 'null', '{}', ...mutations];
}

// The services' databases are unreachable, so a value that is not refused leads to 503.
describe('a value that the documents do not allow', () => {
  const refused = new Map<string, number>();
  const foreign: string[] = [];

  beforeAll(async () => {
    for (const { app, paths, schemas } of await buildServices()) {
      const address = await serve(app);
      for (const [path, operations] of Object.entries(paths)) {
        for (const [method, operation] of Object.entries(operations))
          await refuse(address, method, path, operation, schemas);
      }
    }
  });

  async function refuse(
    address: string,
    method: string,
    path: string,
    operation: Operation,
    schemas: BuiltService['schemas'],
  ) {
    const existing = path.replaceAll(/\{\w+\}/g, id);
    for (const { place, request } of badValues(existing, operation, schemas)) {
      const at = `${method.toUpperCase()} ${path} ${place}`;
      const caller = { 'id-account': id, 'account-roles': 'catalogue,operator' };
      const headers = { ...caller, 'content-type': 'application/json', ...request.headers };
      const { status, text } = await send(address, {
        method: method.toUpperCase(),
        path: existing,
        ...request,
        headers,
      });
      refused.set(at, (refused.get(at) ?? 0) + Number([400, 401].includes(status)));
      const { errors = [] }: { errors?: { message: string }[] } = status === 400 ? JSON.parse(text) : {};
      for (const { message } of errors) if (!ownSentence.test(message)) foreign.push(`${at}: ${message}`);
    }
  }

  it("is refused with one of the store's own sentences", () => {
    expect([...new Set(foreign)]).toEqual([]);
  });

  it('is refused in every documented parameter, header and body', () => {
    const never = [...refused].filter(([, count]) => count === 0).map(([at]) => at);
    expect(never).toEqual([]);
    expect(refused.size).toBeGreaterThan(30);
  });
});
