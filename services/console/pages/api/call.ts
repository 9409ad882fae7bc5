import type { operations, paths } from '../generated/schema.ts';
import { setClock } from '../parts/clock.ts';

type Method = 'get' | 'put' | 'post' | 'delete';
/** Paths that have this method. */
type PathOf<M extends Method> = { [P in keyof paths]: paths[P] extends Record<M, object> ? P : never }[keyof paths];
type Answer<Operation> = Operation extends { responses: { 200: { content: { 'application/json': infer Body } } } }
  ? Body
  : undefined;
/** The answer of a route, by its operation id. */
export type AnswerTo<Id extends keyof operations> = Answer<operations[Id]>;
type Parameters<Operation> = Operation extends { parameters: infer Given } ? Given : never;
type Input<Operation> = Pick<Parameters<Operation>, keyof Parameters<Operation> & ('path' | 'query')> &
  (Operation extends { requestBody: { content: { 'application/json': infer Body } } } ? { body: Body } : unknown) &
  (Operation extends { requestBody: { content: { 'application/x-ndjson': unknown } } } ? { lines: Blob } : unknown);

/** A refusal, whose message the pages show: a sentence of the service. */
export class Refused extends Error {
  readonly status: number;

  constructor(status: number, detail: string) {
    super(detail);
    this.status = status;
  }
}

interface Given {
  path?: Record<string, string>;
  query?: Record<string, string | number | undefined>;
  body?: unknown;
  /** A file of lines, sent as it is. */
  lines?: Blob;
}

/**
 * Calls the console's server. If the session has ended, the login appears.
 * @throws Refused
 */
export async function call<M extends Method, P extends PathOf<M>>(
  method: M,
  path: P,
  input: Input<paths[P][M]>,
): Promise<Answer<paths[P][M]>> {
  const answer = await request(method, path, input as Given);
  return (answer.status === 204 ? undefined : await answer.json()) as Answer<paths[P][M]>;
}

/** Saves what the console's server sends as a file. @throws Refused */
export async function save(path: PathOf<'get'>, name: string): Promise<void> {
  const answer = await request('get', path, {});
  const content = await answer.blob().catch(() => {
    throw new Refused(0, 'The file was cut off. Try again.');
  });
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

async function request(method: Method, path: string, given: Given): Promise<Response> {
  const { path: names = {}, query = {}, body, lines } = given;
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(names[name] ?? ''));
  const asked = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  const answer = await fetch(`.${filled}${asked.length > 0 ? `?${new URLSearchParams(asked)}` : ''}`, {
    method: method.toUpperCase(),
    ...(lines !== undefined && { headers: { 'content-type': 'application/x-ndjson' }, body: lines }),
    ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  }).catch(() => {
    throw new Refused(0, 'The console does not answer. Is its port still forwarded?');
  });
  setClock(answer.headers.get('date'));
  if (answer.ok) return answer;
  const problem = await answer.json().catch(() => ({}));
  if (answer.status === 401 && path !== '/session') dispatchEvent(new Event('session-ended'));
  const trace = problem.traceId === undefined ? '' : ` Trace id: ${problem.traceId}`;
  // Operators fill in forms, and do not know which part of a request carries a field.
  const detail = problem.detail?.replace(/(^|; )(?:body|query|path)\./g, '$1');
  throw new Refused(answer.status, `${detail ?? `The console answered ${answer.status}.`}${trace}`);
}
