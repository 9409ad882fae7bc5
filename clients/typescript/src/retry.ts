import { retryAfterMs } from './problem.ts';
import { pause, timeLimit } from './time-limit.ts';

export interface RetryOptions {
  /** How often to send a request at most; 1 disables repetition. Default: 4. */
  attempts?: number;
  /** The longest pause between two attempts in milliseconds. If the server asks for longer, the call fails at once. Default: 10,000. */
  maxDelayMs?: number;
  /** How long one attempt may take, including the whole reply, in milliseconds. Default: 15,000. */
  attemptTimeoutMs?: number;
  /** How long all attempts together may take, in milliseconds. Default: 60,000. */
  timeoutMs?: number;
}

/** A reply with its whole body. */
export interface Answer {
  response: Response;
  text: string;
}

/** Tells whether a request was refused temporarily, so nothing has happened (contract 7.3). */
export const isRefusal = ({ status, headers }: Response) =>
  status === 429 || (status === 409 && headers.has('retry-after'));

/** Statuses from between client and service. The service may have done the work. */
const lostStatuses = new Set([502, 503, 504]);

/** @param status of the reply; undefined if there is none */
export const isLost = (status: number | undefined): boolean => status === undefined || lostStatuses.has(status);

/** How a request ended. */
export interface Ending {
  /** If it is missing, `error` is set. */
  answer?: Answer;
  error?: unknown;
  /** The last earlier attempt whose answer was lost, with the status that came instead. */
  lost: { status: number | undefined } | undefined;
}

/**
 * Repeats a request that was refused temporarily. Repeats a request whose answer was lost (a broken connection, a time-out, 502, 503,
 * 504) if a repetition does no harm.
 * @param send one attempt, which stops when its signal aborts
 */
export async function withRetries(
  send: (signal: AbortSignal) => Promise<Answer>,
  isRepeatable: boolean,
  { attempts = 4, maxDelayMs = 10_000, attemptTimeoutMs = 15_000, timeoutMs = 60_000 }: RetryOptions,
  signal?: AbortSignal,
): Promise<Ending> {
  const end = performance.now() + timeoutMs;
  let lost: Ending['lost'];
  for (let attempt = 1; ; attempt += 1) {
    signal?.throwIfAborted();
    const limit = timeLimit(Math.min(attemptTimeoutMs, Math.ceil(end - performance.now())), signal);
    const result: Omit<Ending, 'lost'> = await send(limit.signal)
      .then((answer) => ({ answer }))
      .catch((error: unknown) => ({ error }))
      .finally(limit.end);
    signal?.throwIfAborted();

    const response = result.answer?.response;
    const refused = response !== undefined && isRefusal(response);
    const mayRepeat = refused || (isRepeatable && isLost(response?.status));
    const backOffMs = Math.min(100 * 2 ** attempt * (1 + Math.random()), maxDelayMs);
    const delayMs = (response && retryAfterMs(response)) ?? backOffMs;
    const isLast = attempt >= attempts || delayMs > maxDelayMs || performance.now() + delayMs >= end;
    if (isLast || !mayRepeat) return { ...result, lost };
    if (!refused) lost = { status: response?.status };
    await pause(delayMs, signal);
  }
}
