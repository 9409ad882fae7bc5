import type { RequestListener } from 'node:http';
import type { AnyRoute } from '@store/shared/http/route';
import request from 'supertest';
import { z } from 'zod';
import type { Operation } from '../../../tools/api/build-services.ts';
import { documentOf } from './document.ts';

export interface Call {
  /** Default: the path in the document. */
  path?: string;
  headers?: Record<string, string>;
  body?: unknown;
  /** Default: the application under test. */
  app?: () => RequestListener;
}

export interface Contract {
  routes: AnyRoute[];
  app: () => RequestListener;
  /** The application with all its dependencies unavailable. */
  unavailableApp?: () => RequestListener;
  /** The application with INTERNAL_CREDENTIALS. */
  restrictedApp?: () => RequestListener;
  /** An account with all permissions, sent as `id-account`. */
  accountId?: string;
  /** Turns a call into one by an API key without scopes; default: the way the gateway forwards it. */
  byKey?: (call: Call) => Promise<Call> | Call;
  /** For each operation, such as `get /products`, and each documented status: a call that returns it. */
  calls: Record<string, Record<number, MadeCall>>;
}

/** A function is called for every request, for calls that cannot be repeated. */
export type MadeCall = Call | (() => Promise<Call> | Call);

/** Returns the first call that succeeds, or an empty call. */
export async function succeedingCall(calls: Record<number, MadeCall> = {}): Promise<Call> {
  const [, success = {}] = Object.entries(calls).find(([status]) => status.startsWith('2')) ?? [];
  return typeof success === 'function' ? success() : success;
}

/** Adds the charset to JSON only: JSON ignores it (RFC 8259, 11), but old clients look for it. */
const withCharset = (mediaType: string) =>
  mediaType === 'application/json' ? `${mediaType}; charset=utf-8` : mediaType;

/** Headers that any response may have; documents do not name them. */
const ofAnyAnswer = new Set(
  'allow cache-control connection content-length content-type date keep-alive transfer-encoding www-authenticate'.split(
    ' ',
  ),
);

/**
 * Calls every operation once per documented status and compares the response with the OpenAPI document: status, media
 * type, body and headers (contract 7.3). It fails on an undocumented field or header, and on a documented status that
 * no call returns.
 */
export function describeContract({
  routes,
  app,
  unavailableApp,
  restrictedApp,
  accountId,
  byKey = (call) => ({ ...call, headers: { ...call.headers, 'account-scopes': '' } }),
  calls,
}: Contract): void {
  const { document, compileReply } = documentOf(routes);

  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, Operation>).map(([method, operation]) => ({ path, method, operation })),
  );
  const identity: Record<string, string> = accountId === undefined ? {} : { 'id-account': accountId };

  it('contract test only calls documented operations', () => {
    const documented = operations.map(({ method, path }) => `${method} ${path}`);
    expect(documented).toEqual(expect.arrayContaining(Object.keys(calls)));
  });

  const yearMs = 366 * 86_400_000;
  for (const { method, path, body } of routes) {
    const { examples = [] } = (body && z.globalRegistry.get(body)) ?? {};
    if (body === undefined || examples.length === 0) continue;
    it.each([0, 1, 10])(`${method.toUpperCase()} ${path} accepts its documented examples in %i years`, (years) => {
      const { now } = Date;
      Date.now = () => now() + years * yearMs;
      try {
        for (const example of examples) expect(body.safeParse(example).error?.issues).toBeUndefined();
      } finally {
        Date.now = now;
      }
    });
  }

  for (const { path, method, operation } of operations) {
    const statuses = Object.keys(operation.responses).filter((status) => status !== 'default');
    for (const status of statuses.map(Number)) {
      it(`${method.toUpperCase()} ${path} returns ${status} as documented`, async () => {
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
        const documented = Object.keys(declared?.headers ?? {});
        for (const header of documented) {
          if (header !== 'Link') expect(response.headers).toHaveProperty(header.toLowerCase());
        }
        const names = documented.map((header) => header.toLowerCase());
        const others = Object.keys(response.headers).filter((header) => !ofAnyAnswer.has(header));
        expect(names).toEqual(expect.arrayContaining(others));
        const [mediaType, content] = Object.entries(declared?.content ?? {})[0] ?? [];
        if (mediaType === undefined) expect(response.text ?? '').toBe('');
        else {
          expect(response.headers['content-type']).toBe(withCharset(mediaType));
          if (mediaType === 'text/event-stream' || mediaType === 'application/x-ndjson') return;
          const validate = compileReply(content?.schema);
          expect(validate(JSON.parse(response.text)) ? [] : validate.errors).toEqual([]);
        }
      });
    }

    /** The service's own call for a status, or one that returns this status from any operation. */
    async function callFor(status: number): Promise<Call> {
      const ownCalls = calls[`${method} ${path}`] ?? {};
      const ownCall = ownCalls[status];
      if (ownCall !== undefined) return typeof ownCall === 'function' ? ownCall() : ownCall;
      const valid = await succeedingCall(ownCalls);
      if (status === 304) return { ...valid, headers: { ...valid.headers, 'If-None-Match': '*' } };
      if (status === 400 && operation.requestBody !== undefined) return { ...valid, body: {} };
      if (status === 400 && path.includes('{')) return { ...valid, path: path.replaceAll(/\{\w+\}/g, '%ff') };
      if (status === 401) return { ...valid, headers: { ...valid.headers, 'id-account': '' } };
      if (status === 403 && operation.security?.some((one) => 'id-account' in one)) return byKey(valid);
      if (status === 403 && restrictedApp !== undefined) return { ...valid, app: restrictedApp };
      if (status === 404) return { ...valid, path: path.replace(/\{\w+\}/, 'not-a-uuid') };
      if (status === 412) return { ...valid, headers: { ...valid.headers, 'If-Match': '"another"' } };
      if (status === 413) return { ...valid, body: JSON.stringify({ filler: 'x'.repeat(1024 * 1024) }) };
      if (status === 415)
        return { ...valid, body: 'text', headers: { ...valid.headers, 'Content-Type': 'text/plain' } };
      if (status === 503 && unavailableApp !== undefined) return { ...valid, app: unavailableApp };
      throw new Error(`${method} ${path} documents ${status}, but the test has no call that returns it`);
    }
  }
}
