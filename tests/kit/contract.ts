import type { RequestListener } from 'node:http';
import { openApiDocument } from '@store/shared/http/openapi';
import type { AnyRoute } from '@store/shared/http/route';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import request from 'supertest';

export interface Call {
  /** Default: the route's path as it stands in the document. */
  path?: string;
  headers?: Record<string, string>;
  body?: unknown;
  /** Default: the application under test. */
  app?: () => RequestListener;
}

export interface Contract {
  routes: AnyRoute[];
  app: () => RequestListener;
  /** The same application with everything that it needs away. */
  unavailableApp?: () => RequestListener;
  /** An account that may do everything. */
  accountId?: string;
  /** For `get /products` and each documented status a call that is answered with it. */
  calls: Record<string, Record<number, Call | (() => Promise<Call> | Call)>>;
}

interface Operation {
  responses: Record<string, { headers?: Record<string, unknown>; content?: Record<string, { schema: object }> }>;
}

/**
 * Calls every route of an OpenAPI document once for every status that it documents and compares the answers with it:
 * status, media type, body, headers (spec: Errors, rule 5). A documented status that no call brings about fails.
 */
export function describeContract({ routes, app, unavailableApp, accountId, calls }: Contract): void {
  const document = openApiDocument(
    'under test',
    routes.map((route) => ({ ...route, internal: false })),
  );
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  ajv.addSchema({ $id: 'document', components: document.components });

  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, Operation>).map(([method, operation]) => ({ path, method, operation })),
  );
  const identity: Record<string, string> = accountId === undefined ? {} : { 'id-account': accountId };

  it('has calls for documented routes only', () => {
    const documented = operations.map(({ method, path }) => `${method} ${path}`);
    expect(documented).toEqual(expect.arrayContaining(Object.keys(calls)));
  });

  for (const { path, method, operation } of operations) {
    const statuses = Object.keys(operation.responses).filter((status) => status !== 'default');
    for (const status of statuses.map(Number)) {
      it(`${method} ${path} answers ${status} as documented`, async () => {
        const call = await callFor(status);
        let sent = request((call.app ?? app)())
          [method as 'get'](call.path ?? path)
          .set({ ...identity, ...call.headers });
        if (call.headers?.['id-account'] === '') sent = sent.unset('id-account');
        if (call.body !== undefined) {
          sent = sent.set('Content-Type', call.headers?.['Content-Type'] ?? 'application/json');
          sent = sent.send(typeof call.body === 'string' ? call.body : JSON.stringify(call.body));
        }
        const response = await sent;
        expect({ status: response.status, detail: response.body?.detail }).toMatchObject({ status });
        const declared = operation.responses[status];
        for (const header of Object.keys(declared?.headers ?? {})) {
          if (header !== 'Link') expect(response.headers).toHaveProperty(header.toLowerCase());
        }
        const [mediaType, content] = Object.entries(declared?.content ?? {})[0] ?? [];
        if (mediaType === undefined) expect(response.text ?? '').toBe('');
        else {
          expect(response.headers['content-type']).toContain(mediaType);
          const schema = JSON.parse(JSON.stringify(content?.schema).replaceAll('"#/', '"document#/'));
          const validate = ajv.compile(schema);
          expect(validate(JSON.parse(response.text)) ? [] : validate.errors).toEqual([]);
        }
      });
    }

    /** What a service need not say again: calls that any route of its kind answers alike. */
    async function callFor(status: number): Promise<Call> {
      const own = calls[`${method} ${path}`] ?? {};
      const given = own[status];
      if (given !== undefined) return typeof given === 'function' ? given() : given;
      const success = Object.entries(own).find(([code]) => code.startsWith('2'))?.[1];
      const valid = typeof success === 'function' ? await success() : (success ?? {});
      if (status === 401) return { ...valid, headers: { ...valid.headers, 'id-account': '' } };
      if (status === 404) return { ...valid, path: path.replace(/\{\w+\}/, 'no-uuid') };
      if (status === 413) return { ...valid, body: JSON.stringify({ filler: 'x'.repeat(1024 * 1024) }) };
      if (status === 415)
        return { ...valid, body: 'text', headers: { ...valid.headers, 'Content-Type': 'text/plain' } };
      if (status === 503 && unavailableApp !== undefined) return { ...valid, app: unavailableApp };
      throw new Error(`${method} ${path} documents ${status}, but the test knows no call that is answered with it`);
    }
  }
}
