import { retryAfterMs } from './problem.ts';

export interface RetryOptions {
  /** How often a request is sent at most; 1 switches repetition off. Default: 4. */
  attempts?: number;
  /** The longest time between two attempts in milliseconds. Who is asked to wait longer gets the problem at once. Default: 10,000. */
  maxDelayMs?: number;
}

export type Send = (request: Request) => Promise<Response>;

/** What never reached a service, or what a later attempt may find in place. */
export const temporary = new Set([429, 502, 503, 504]);
const repeatable = new Set(['GET', 'HEAD', 'PUT', 'DELETE']);

/**
 * Repeats a request after a broken connection and after 429, 502, 503 and 504, as long as a repetition does no harm: reads,
 * PUT, DELETE, and whatever has an Idempotency-Key. What was refused by 429 has not happened, so it is repeated in any case.
 */
export function withRetries(send: Send, { attempts = 4, maxDelayMs = 10_000 }: RetryOptions = {}): Send {
  return async (request) => {
    const safe = repeatable.has(request.method) || request.headers.has('idempotency-key');
    for (let attempt = 1; ; attempt += 1) {
      const isLast = attempt >= attempts;
      let delayMs = Math.min(100 * 2 ** attempt * (1 + Math.random()), maxDelayMs);
      try {
        // A request with a body can be sent only once.
        const response = await send(isLast ? request : request.clone());
        if (isLast || !temporary.has(response.status) || !(safe || response.status === 429)) return response;
        delayMs = retryAfterMs(response) ?? delayMs;
        if (delayMs > maxDelayMs) return response;
        await response.body?.cancel();
      } catch (error) {
        if (isLast || !safe || request.signal.aborted) throw error;
      }
      await pause(delayMs, request.signal);
    }
  };
}

/** Rejects with the signal's reason. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });
}
