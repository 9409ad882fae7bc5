export interface HttpResponse {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of all kinds; each test states what it expects
  body: any;
}

export type Send = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<HttpResponse>;

/**
 * Sends requests to an address, without following redirects. A body that is not text is sent as JSON.
 * @param timeoutMs rejects a request that takes longer
 */
export const createSend =
  (baseUrl: string, timeoutMs?: number): Send =>
  async (method, path, body, headers = {}) => {
    const json = { 'content-type': 'application/json' };
    const response = await fetch(new URL(path, baseUrl), {
      method,
      redirect: 'manual',
      ...(timeoutMs !== undefined && { signal: AbortSignal.timeout(timeoutMs) }),
      headers: body === undefined ? headers : { ...json, ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return readResponse(response.status, response.headers, await response.text());
  };

export function readResponse(status: number, headers: Headers, text: string): HttpResponse {
  const isJson = text !== '' && headers.get('content-type')?.includes('json');
  return { status, headers, text, body: isJson ? JSON.parse(text) : undefined };
}

export const withCookie =
  (send: Send, cookie: string): Send =>
  (method, path, body, headers) =>
    send(method, path, body, { cookie, ...headers });

/** Sends a request that a test only needs for its set-up. @throws Error if the status is not the expected one */
export async function sendExpecting(
  expected: number,
  send: Send,
  ...[method, path, ...rest]: Parameters<Send>
): Promise<HttpResponse> {
  const response = await send(method, path, ...rest);
  if (response.status === expected) return response;
  throw new Error(`${method} ${path} returned ${response.status} instead of ${expected}: ${response.text}`);
}

/** The target of `Link: <…>; rel="next"`, if there is one. */
export const nextLink = (link: string | null | undefined) => /^<([^>]+)>; rel="next"$/.exec(link ?? '')?.[1];

/** The bodies of all pages of a collection, found by their `Link` headers. Calls `afterPage` after each page. */
export async function paginate(
  get: (path: string) => PromiseLike<Omit<HttpResponse, 'headers'> & { headers: Headers | { link?: string } }>,
  path: string,
  afterPage?: (pages: number) => Promise<unknown>,
) {
  const pages: HttpResponse['body'][] = [];
  for (let next: string | undefined = path; next !== undefined; ) {
    const { status, headers, body, text } = await get(next);
    if (status !== 200) throw new Error(`GET ${next} returned ${status}: ${text}`);
    pages.push(body);
    next = nextLink(headers instanceof Headers ? headers.get('link') : headers.link);
    await afterPage?.(pages.length);
  }
  return pages;
}
