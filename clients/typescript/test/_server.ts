import type { IncomingMessage, ServerResponse } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { serve } from '../../../tests/kit/listen.ts';
import { createStore, type StoreOptions } from '../src/index.ts';

export type Answer =
  /** Closes the connection without an answer. */
  | 'gone'
  /** Accepts the request and never answers. */
  | 'silent'
  | ((res: ServerResponse) => void)
  | { status: number; headers?: Record<string, string>; body?: unknown };

export interface Seen {
  /** Such as `GET /orders`. */
  request: string;
  headers: IncomingMessage['headers'];
  body: string;
  /** When it arrived, in milliseconds. */
  at: number;
}

export const problem = (status: number, problem: object = {}, headers: Record<string, string> = {}): Answer => ({
  status,
  headers: { 'content-type': 'application/problem+json', ...headers },
  body: { status, title: 'No.', ...problem },
});

/** Runs the garbage collector of this process, which also runs the client, once a reply has begun. */
export function collectGarbageSoon(): void {
  setFlagsFromString('--expose-gc');
  setTimeout(runInNewContext('gc'), 100);
}

/** Begins a reply and stops midway. @param then `'gone'` closes the connection */
export const halfAnswered =
  (then: 'gone' | 'silent'): Answer =>
  (res) => {
    res.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
    if (then === 'silent') collectGarbageSoon();
    res.write('[', () => then === 'gone' && res.destroy());
  };

/** Starts a server that gives these answers in turn, and 500 after the last one. */
export async function storeWith(answers: Answer[], options: Partial<StoreOptions> = {}) {
  const seen: Seen[] = [];
  const url = await serve(async (req, res) => {
    let body = '';
    for await (const chunk of req) body += chunk;
    seen.push({ request: `${req.method} ${req.url}`, headers: req.headers, body, at: performance.now() });
    const answer = answers.shift() ?? problem(500);
    if (answer === 'gone') req.socket.destroy();
    else if (typeof answer === 'function') answer(res);
    else if (answer !== 'silent') {
      const { status, headers, body } = answer;
      const type = body === undefined ? {} : { 'content-type': 'application/json' };
      res.writeHead(status, { ...type, ...headers });
      res.end(typeof body === 'string' || body === undefined ? body : JSON.stringify(body));
    }
  });
  return { store: createStore({ url, ...options }), seen, url, requests: () => seen.map(({ request }) => request) };
}

export const id = '7c9e6679-7425-40de-944b-e07fc1f90ae7';
export const tea = { name: 'Tea', price: 1, unit: 'g' };
export const order = { items: [{ productId: id, quantity: 1 }] };
/** For tests that would otherwise take seconds. */
export const impatient = { maxDelayMs: 50 };
