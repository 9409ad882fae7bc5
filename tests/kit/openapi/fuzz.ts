import { serve } from '../listen.ts';
import { type Call, type Contract, type MadeCall, succeedingCall } from './contract.ts';
import { documentOf } from './document.ts';
import {
  fieldMutations,
  isRepeatable,
  longestTexts,
  type Mutation,
  mayBeValid,
  type Operation,
  operationsOf,
  type Parameter,
  type Sent,
  sample,
  withFieldEverywhere,
  withQuery,
} from './fuzz-mutations.ts';
import * as values from './fuzz-values.ts';
import { send } from './send.ts';
import { ownSentence } from './sentences.ts';

interface FuzzOptions extends Pick<Contract, 'routes' | 'app' | 'accountId' | 'calls'> {
  /**
   * Requests that succeed, by operation. Malformed requests are mutations of them. Default: the requests of the contract test, if they
   * have all fields.
   */
  valid?: Record<string, MadeCall>;
  /** The state that a rejected request must not change, such as rows per table. */
  readState(): Promise<unknown>;
}

/**
 * Sends malformed input to every operation of an OpenAPI document. The operation must reject it with a 4xx problem and change
 * nothing, but must ignore unknown fields and parameters (contract 7.1 and 10).
 */
export function describeFuzz({ routes, app, accountId, calls, valid = {}, readState }: FuzzOptions): void {
  const { document, compile, compileReply } = documentOf(routes);
  const matchesSchema: (value: unknown) => boolean = compileReply({ $ref: '#/components/schemas/Problem' });
  const operations = operationsOf(document.paths);

  let address: string;
  beforeAll(async () => {
    address = await serve(app());
  });

  const fieldsOf = (schema: object) => {
    const name = '$ref' in schema ? String(schema.$ref).split('/').at(-1) : undefined;
    const resolved = (name === undefined ? schema : document.components.schemas[name]) as { properties?: object };
    return Object.keys(resolved.properties ?? {});
  };

  /** Leaves out fields that the operation ignores, so that every remaining field matters. */
  const documented = (body: unknown, schema: object) => {
    const fields = fieldsOf(schema);
    return Object.fromEntries(Object.entries(Object(body)).filter(([name]) => fields.includes(name)));
  };

  const givenFor = ({ method, path }: Operation): Promise<Call> => {
    const name = `${method} ${path}`;
    return succeedingCall(valid[name] ? { 200: valid[name] } : calls[name]);
  };

  // Mutations only cover the fields of the given body.
  it('fuzz test has a body with all fields, including optional ones, for each operation', async () => {
    const lacking: string[] = [];
    for (const operation of operations) {
      if (operation.body === undefined) continue;
      const { body = {} } = await givenFor(operation);
      const missing = fieldsOf(operation.body).filter((field) => !Object.hasOwn(Object(body), field));
      if (missing.length > 0)
        lacking.push(`The body of valid["${operation.method} ${operation.path}"] lacks: ${missing.join(', ')}`);
    }
    expect(lacking).toEqual([]);
  });

  async function validRequest(operation: Operation): Promise<Sent> {
    const { method, path, body, identity } = operation;
    const given = await givenFor(operation);
    return {
      method: method.toUpperCase(),
      path: given.path ?? path,
      headers: {
        ...(identity && accountId !== undefined ? { 'id-account': accountId } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...given.headers,
      },
      body: body === undefined ? undefined : JSON.stringify(documented(given.body, body)),
    };
  }

  /** True if the problem has the documented shape and the store's own sentences, and reveals no stack trace or path. */
  function isProblem(status: number, type: string | undefined, text: string): boolean {
    if (type !== 'application/problem+json' || /node_modules|\bat .{1,200}:\d+:\d+/.test(text)) return false;
    const problem: { status?: number; errors?: { message: string }[] } = JSON.parse(text);
    const isOwn = problem.errors?.every(({ message }) => ownSentence.test(message)) ?? true;
    return matchesSchema(problem) && problem.status === status && isOwn;
  }

  function itRejects(input: string, operation: Operation, mutate: (request: Sent) => Mutation[]): void {
    it(`${operation.method.toUpperCase()} ${operation.path} rejects ${input}`, async () => {
      const request = await validRequest(operation);
      const before = await readState();
      const failures: string[] = [];
      for (const { name, mayBeAccepted, ...mutation } of mutate(request)) {
        const { status, headers, text } = await send(address, { ...request, ...mutation });
        const isRejected = status >= 400 && status < 500 && isProblem(status, headers['content-type'], text);
        const isAccepted = mayBeAccepted && status >= 200 && status < 300;
        if (!isRejected && !isAccepted) failures.push(`${name.slice(0, 100)}: ${status} ${text.slice(0, 300)}`);
      }
      expect(failures).toEqual([]);
      expect(await readState()).toEqual(before);
    });
  }

  function itIgnores(input: string, operation: Operation, mutate: (request: Sent) => Mutation[]): void {
    it(`${operation.method.toUpperCase()} ${operation.path} ignores ${input}`, async () => {
      const failures: string[] = [];
      const count = mutate(await validRequest(operation)).length;
      for (let index = 0; index < count; index += 1) {
        const request = await validRequest(operation);
        const { name = '', ...mutation } = mutate(request)[index] ?? {};
        const { status, text } = await send(address, { ...request, ...mutation });
        if (status < 200 || status > 299) failures.push(`${name}: ${status} ${text}`);
      }
      expect(failures).toEqual([]);
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    });
  }

  for (const operation of operations) {
    const { path, parameters, body } = operation;
    const parametersIn = (location: Parameter['in']) => parameters.filter((parameter) => parameter.in === location);

    itIgnores('unknown query parameters', operation, (request) => [
      { name: 'none' },
      { name: 'unknown names', path: withQuery(request.path, 'unknown=1&__proto__=1&constructor=1&toString=1') },
      { name: 'malformed names', path: withQuery(request.path, 'a[b]=1&__proto__[polluted]=1&=1&&&%00=%00&%=%&%ff=1') },
    ]);

    if (body !== undefined) {
      const isValid = compile(body);
      itIgnores('unknown fields', operation, ({ body: json }) =>
        values.unknownFields.map((field) => ({ name: field, body: withFieldEverywhere(String(json), field) })),
      );
      it(`${operation.method.toUpperCase()} ${path} accepts texts of the documented maximum length`, async () => {
        const count = longestTexts(JSON.parse(String((await validRequest(operation)).body)), isValid).length;
        for (let index = 0; index < count; index += 1) {
          const request = await validRequest(operation);
          const { name, body: json } = longestTexts(JSON.parse(String(request.body)), isValid)[index] ?? {};
          const { status, text } = await send(address, { ...request, body: json });
          // The changed password may be wrong, which is not a 400.
          expect({ name, text: [400, 500].includes(status) ? text : '' }).toEqual({ name, text: '' });
        }
      });
      itRejects('malformed bodies', operation, ({ body: json }) =>
        Object.entries(values.malformedBodies(String(json)))
          // Unknown fields alone are an empty body, which some operations take.
          .filter(([name]) => !(name.startsWith('fields in ') && isValid({})))
          .map(([name, malformed]) => ({ name, body: malformed })),
      );
      itRejects('invalid and missing fields', operation, ({ body: json }) => {
        const mutations = fieldMutations(JSON.parse(String(json)), isValid);
        expect(mutations.length).toBeGreaterThan(10);
        return mutations;
      });
      itRejects('unsupported media types, charsets and content encodings', operation, ({ body: json, headers }) => [
        ...values.unsupportedTypes.map((type) => ({ name: type, headers: { ...headers, 'content-type': type } })),
        ...values.encodedBodies(String(json)).map(([encoding, encoded], index) => ({
          name: `${encoding} (${index})`,
          headers: { ...headers, 'content-encoding': encoding },
          body: encoded,
        })),
      ]);
    }

    if (parametersIn('path').length > 0) {
      itRejects('malformed path parameters', operation, () =>
        values.pathValues.map((value) => ({ name: value, path: path.replaceAll(/\{\w+\}/g, () => value) })),
      );
    }
    for (const { name: parameter, schema } of parametersIn('query')) {
      const tooMany = isRepeatable(schema) ? 200 : 2;
      itRejects(`malformed values of ?${parameter}`, operation, ({ path: valid }) => [
        ...values.queryValues.map((value) => ({
          name: value,
          mayBeAccepted: mayBeValid(schema, parameter, value),
          path: withQuery(valid, `${parameter}=${value}`),
        })),
        { name: 'repeated', path: withQuery(valid, `${parameter}=${sample(schema)}&`.repeat(tooMany)) },
      ]);
    }
    for (const { name: header } of parametersIn('header')) {
      // A condition that nothing fulfils is not an error (RFC 9110, 13.1.2).
      const test = header === 'If-None-Match' ? itIgnores : itRejects;
      test(`malformed values of the ${header} header`, operation, ({ headers }) =>
        values.headerValues.map((value) => ({ name: value, headers: { ...headers, [header]: value } })),
      );
    }
    if (operation.identity) {
      itRejects('malformed id-account headers', operation, ({ headers }) =>
        ['', 'x', '%00', `${accountId},${accountId}`, `{${accountId}}`, `${accountId} `.repeat(2)]
          .concat(values.headerValues)
          .map((id) => ({ name: `id ${id}`, headers: { ...headers, 'id-account': id } })),
      );
    }
  }

  for (const path of new Set(operations.map((operation) => operation.path))) {
    const documented = operations
      .filter((operation) => operation.path === path)
      .map(({ method }) => method.toUpperCase());
    const allowed = [...documented, ...(documented.includes('GET') ? ['HEAD'] : [])];
    it(`${path} returns 405 with Allow for undocumented methods`, async () => {
      const before = await readState();
      for (const method of 'GET HEAD POST PUT PATCH DELETE OPTIONS TRACE PROPFIND SEARCH QUERY'.split(' ')) {
        if (allowed.includes(method)) continue;
        const headers = { 'id-account': accountId ?? '', 'content-type': 'application/json' };
        const given = { method, path: path.replace(/\{\w+\}/, 'x'), headers };
        const { status, headers: received } = await send(address, given);
        const allow = received.allow?.split(', ').sort();
        expect({ method, status, allow }).toEqual({ method, status: 405, allow: [...allowed].sort() });
      }
      expect(await readState()).toEqual(before);
    });
  }
}
