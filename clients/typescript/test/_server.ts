import type { IncomingMessage, ServerResponse } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { serve } from '../../../tests/kit/listen.ts';
import { createStore, type StoreOptions } from '../src/index.ts';

export type Answer =
  /** Closes the connection without a word. */
  | 'gone'
  /** Takes the request and says nothing. */
  | 'silent'
  | ((res: ServerResponse) => void)
  | { status: number; headers?: Record<string, string>; body?: unknown };

export interface Seen {
  /** Such as `GET /orders`. */
  request: string;
  headers: IncomingMessage['headers'];
  body: string;
  /** When it came, in milliseconds. */
  at: number;
}

export const problem = (status: number, problem: object = {}, headers: Record<string, string> = {}): Answer => ({
  status,
  headers: { 'content-type': 'application/problem+json', ...headers },
  body: { status, title: 'No.', ...problem },
});

/** Collects the garbage of this process, the client's included, once a reply has begun. */
export function collectGarbageSoon(): void {
  setFlagsFromString('--expose-gc');
  setTimeout(runInNewContext('gc'), 100);
}

/** Begins a reply and stops in the middle. @param then `'gone'` closes the connection */
export const halfAnswered =
  (then: 'gone' | 'silent'): Answer =>
  (res) => {
    res.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
    if (then === 'silent') collectGarbageSoon();
    res.write('[', () => then === 'gone' && res.destroy());
  };

/** A server that gives these answers, one after another, and 500 from then on. */
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
/** For what would take seconds otherwise. */
export const impatient = { maxDelayMs: 50 };
