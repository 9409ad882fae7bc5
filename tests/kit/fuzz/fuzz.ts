import { createServer, type IncomingHttpHeaders, type RequestListener, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { openApiDocument } from '@store/shared/http/openapi';
import type { AnyRoute } from '@store/shared/http/route';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import {
  mayBe,
  type Operation,
  operationsOf,
  type Parameter,
  type Sent,
  type Spoilt,
  sample,
  spoiltFields,
  takesMany,
  withFieldEverywhere,
  withQuery,
} from './mutations.ts';
import * as values from './values.ts';

/** A request that is answered with 2xx; each nonsense is this with one thing spoilt. */
export interface Valid {
  /** Default: the route's path as it stands in the document. */
  path?: string;
  headers?: Record<string, string>;
  body?: object;
}

export interface FuzzOptions {
  routes: AnyRoute[];
  app: () => RequestListener;
  /** An account that may do everything. */
  accountId?: string;
  /** For `post /products` and so on. It may be made anew for each request, such as an e-mail address that is still free. */
  valid: Record<string, Valid | (() => Promise<Valid> | Valid)>;
  /** Whatever shows that something was changed: rows per table, for example. */
  countRows(): Promise<unknown>;
}

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/**
 * Sends bad input of every kind to every route of an OpenAPI document: each is refused with a 4xx problem, nothing is
 * changed by it, and what nobody knows is ignored.
 */
export function describeFuzz({ routes, app, accountId, valid, countRows }: FuzzOptions): void {
  const document = openApiDocument(
    'under test',
    routes.map((route) => ({ ...route, internal: false })),
  );
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  ajv.addSchema({ $id: 'document', components: document.components });
  const compile = (schema: unknown) => ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')));
  const hasShape: (value: unknown) => boolean = compile({ $ref: '#/components/schemas/Problem' });
  const operations = operationsOf(document.paths);

  let server: Server;
  beforeAll(async () => {
    server = createServer(app());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => new Promise((resolve) => server.close(resolve).closeAllConnections()));

  async function validRequest({ method, path, body, identity }: Operation): Promise<Sent> {
    const given = valid[`${method} ${path}`] ?? {};
    const made = typeof given === 'function' ? await given() : given;
    if (body !== undefined && made.body === undefined) throw new Error(`Say what a valid body of ${method} ${path} is`);
    return {
      method: method.toUpperCase(),
      path: made.path ?? path,
      headers: {
        ...(identity && accountId !== undefined ? { 'id-account': accountId } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...made.headers,
      },
      body: body === undefined ? undefined : JSON.stringify(made.body),
    };
  }

  const portOf = () => (server.address() as AddressInfo).port;

  /** The shape of the document, and nothing of our insides. */
  function isProblem(status: number, type: string | undefined, text: string): boolean {
    if (type?.split(';')[0] !== 'application/problem+json' || /node_modules|\bat .{1,200}:\d+:\d+/.test(text))
      return false;
    const problem: { status?: number } = JSON.parse(text);
    return hasShape(problem) && problem.status === status;
  }

  function itRefuses(what: string, operation: Operation, spoil: (request: Sent) => Spoilt[]): void {
    it(`${operation.method} ${operation.path} refuses ${what}`, async () => {
      const request = await validRequest(operation);
      const before = await countRows();
      const taken: string[] = [];
      for (const { what: name, mayBeTaken, ...spoilt } of spoil(request)) {
        const { status, headers, text } = await send(portOf(), { ...request, ...spoilt });
        const isSafe = status >= 400 && status < 500 && isProblem(status, headers['content-type'], text);
        const isTaken = mayBeTaken && status >= 200 && status < 300;
        if (!isSafe && !isTaken) taken.push(`${name.slice(0, 100)}: ${status} ${text.slice(0, 300)}`);
      }
      expect(taken).toEqual([]);
      expect(await countRows()).toEqual(before);
    });
  }

  function itIgnores(what: string, operation: Operation, add: (request: Sent) => Spoilt[]): void {
    it(`${operation.method} ${operation.path} ignores ${what}`, async () => {
      const refused: string[] = [];
      const count = add(await validRequest(operation)).length;
      for (let index = 0; index < count; index += 1) {
        const request = await validRequest(operation);
        const { what: name = '', ...added } = add(request)[index] ?? {};
        const { status, text } = await send(portOf(), { ...request, ...added });
        if (status < 200 || status > 299) refused.push(`${name}: ${status} ${text}`);
      }
      expect(refused).toEqual([]);
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    });
  }

  for (const operation of operations) {
    const { path, parameters, body } = operation;
    const of = (place: Parameter['in']) => parameters.filter((parameter) => parameter.in === place);

    itIgnores('unknown query parameters', operation, (request) => [
      { what: 'nothing unknown' },
      { what: 'unknown', path: withQuery(request.path, 'unknown=1&__proto__=1&constructor=1&toString=1') },
      { what: 'odd', path: withQuery(request.path, 'a[b]=1&__proto__[polluted]=1&=1&&&%00=%00&%=%&%ff=1') },
    ]);

    if (body !== undefined) {
      const isAllowed = compile(body);
      itIgnores('unknown fields', operation, ({ body: text }) =>
        values.extraFields.map((field) => ({ what: field, body: withFieldEverywhere(String(text), field) })),
      );
      itRefuses('bodies that are wrong as a whole', operation, ({ body: text }) =>
        Object.entries(values.brokenBodies(String(text))).map(([what, broken]) => ({ what, body: broken })),
      );
      itRefuses('wrong and missing fields', operation, ({ body: text }) => {
        const bodies = spoiltFields(JSON.parse(String(text)), isAllowed);
        expect(bodies.length).toBeGreaterThan(10);
        return bodies;
      });
      itRefuses('other media types, charsets and encodings', operation, ({ body: text, headers }) => [
        ...values.foreignTypes.map((type) => ({ what: type, headers: { ...headers, 'content-type': type } })),
        ...values.encodedBodies(String(text)).map(([encoding, encoded], index) => ({
          what: `${encoding} (${index})`,
          headers: { ...headers, 'content-encoding': encoding },
          body: encoded,
        })),
      ]);
    }

    if (of('path').length > 0) {
      itRefuses('rubbish in its path', operation, () =>
        values.pathValues.map((value) => ({ what: value, path: path.replaceAll(/\{\w+\}/g, () => value) })),
      );
    }
    for (const { name, schema } of of('query')) {
      itRefuses(`rubbish in ${name}`, operation, ({ path: valid }) => [
        ...values.queryValues.map((value) => ({
          what: value,
          mayBeTaken: mayBe(schema, name, value),
          path: withQuery(valid, `${name}=${value}`),
        })),
        { what: 'repeated', path: withQuery(valid, `${name}=${sample(schema)}&`.repeat(takesMany(schema) ? 200 : 2)) },
      ]);
    }
    for (const { name } of of('header')) {
      itRefuses(`rubbish in the header ${name}`, operation, ({ headers }) =>
        values.headerValues.map((value) => ({ what: value, headers: { ...headers, [name]: value } })),
      );
    }
    if (operation.identity) {
      itRefuses('an identity that is none', operation, ({ headers }) =>
        [
          '',
          'x',
          '%00',
          `${accountId},${accountId}`,
          `{${accountId}}`,
          `${accountId} `.repeat(2),
          ...values.headerValues,
        ].map((id) => ({ what: `id ${id}`, headers: { ...headers, 'id-account': id } })),
      );
    }
  }

  for (const path of new Set(operations.map((operation) => operation.path))) {
    const documented = operations
      .filter((operation) => operation.path === path)
      .map(({ method }) => method.toUpperCase());
    const allowed = [...documented, ...(documented.includes('GET') ? ['HEAD'] : [])];
    it(`${path} answers other methods with 405 and what it takes`, async () => {
      const before = await countRows();
      for (const method of [
        'GET',
        'HEAD',
        'POST',
        'PUT',
        'PATCH',
        'DELETE',
        'OPTIONS',
        'TRACE',
        'PROPFIND',
        'SEARCH',
      ]) {
        if (allowed.includes(method)) continue;
        const headers = { 'id-account': accountId ?? '', 'content-type': 'application/json' };
        const { status, headers: answered } = await send(portOf(), {
          method,
          path: path.replace(/\{\w+\}/, 'x'),
          headers,
        });
        expect({ method, status, allow: answered.allow?.split(', ').sort() }).toEqual({
          method,
          status: 405,
          allow: [...allowed].sort(),
        });
      }
      expect(await countRows()).toEqual(before);
    });
  }
}

function send(port: number, { body, ...options }: Sent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, ...options }, (response) => {
      textOf(response).then(
        (text) => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
        reject,
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
