import type { Problem } from './schema.ts';

/** A reply from 400 up: problem details (RFC 9457) as an error. */
export class StoreProblem extends Error {
  override readonly name = 'StoreProblem';
  /** Such as 404. */
  readonly status: number;
  /** What kind of problem it is, such as `urn:problem:store:order-shipped`; `about:blank` if the status says it all. */
  readonly type: string;
  /** What is wrong with which field of the request. */
  readonly errors: readonly { path: string; message: string }[];
  /** Under which the store's logs and traces have it. */
  readonly traceId: string | undefined;
  /** When the store asks to be called again, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  readonly response: Response;

  constructor(problem: Partial<Problem>, response: Response) {
    super(problem.detail ?? problem.title ?? `The store answered ${response.status}.`);
    this.status = response.status;
    this.type = problem.type ?? 'about:blank';
    this.errors = problem.errors ?? [];
    this.traceId = problem.traceId;
    this.retryAfterMs = retryAfterMs(response);
    this.response = response;
  }
}

/** Of Retry-After (RFC 9110, 10.2.3), which the store sends in seconds. */
export function retryAfterMs({ headers }: Response): number | undefined {
  const text = headers.get('retry-after');
  return text !== null && /^\d+$/.test(text) ? Number(text) * 1000 : undefined;
}

/** @returns a reply of a failure as an error, whatever its body is */
export async function problemOf(response: Response): Promise<StoreProblem> {
  const body: unknown = await response.json().catch(() => undefined);
  return new StoreProblem(typeof body === 'object' && body !== null ? body : {}, response);
}
