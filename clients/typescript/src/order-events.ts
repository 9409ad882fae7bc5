import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { foreign, problemOf, redirectOf, StoreProblem } from './problem.ts';
import { urlOf } from './request.ts';
import type { OrderEvent as Data } from './schema.ts';
import { pause, timeLimit } from './time-limit.ts';

/** A new status of one of the caller's orders. */
export interface OrderEvent extends Data {
  /** Pass it as `lastEventId` to continue after this event. */
  id: string;
}

/** `waiting`: for the next attempt. */
export type StreamState = 'connecting' | 'open' | 'waiting';

export interface OrderEventsOptions {
  signal?: AbortSignal;
  /** Id of the last event that was handled. Without it, events start at the time of the call. */
  lastEventId?: string;
  /**
   * Called when the events start, and again when some may be missing: after days without a connection, or many changes at once.
   * Orders read after this call and the events after it miss nothing.
   */
  onStart?: () => void;
  /** Called when the state changes. While it is not `open`, changes arrive late. */
  onState?: (state: StreamState) => void;
  /** Called with each failure after which it reconnects. */
  onError?: (error: unknown) => void;
  /** Attempts before giving up if the server answers 404 or sends no stream. Default: 5. */
  attempts?: number;
  /** How long to wait for the first bytes of a reply, in milliseconds. Default: 15,000. */
  attemptTimeoutMs?: number;
  /** How long an open stream may be silent, in milliseconds. The store sends a heartbeat every 15 s. Default: 40,000. */
  silentMs?: number;
}

const longestPauseMs = 30_000;

/** State that one connection passes to the next. */
interface Progress {
  cursor: string | undefined;
  /** Pause that the store asked for. */
  retryMs: number;
  failures: number;
  mistakes: number;
}

/**
 * Follows the status of the caller's orders. After a break it resumes where it stopped: no change is missed, and a repeated change is
 * followed by all later changes. It reconnects as long as the store is unavailable or refuses temporarily.
 * @returns rejects with a StoreProblem when the store refuses for good, such as by 401 after the session has ended, and with the
 *   signal's reason
 */
export async function* orderEvents(
  send: typeof fetch,
  url: string,
  options: OrderEventsOptions = {},
): AsyncGenerator<OrderEvent, void, undefined> {
  const { signal, onState, onError, attempts = 5 } = options;
  const progress: Progress = { cursor: options.lastEventId, retryMs: 1_000, failures: 0, mistakes: 0 };
  for (;;) {
    onState?.('connecting');
    const failure = yield* connection(send, url, progress, options);
    signal?.throwIfAborted();
    if (failure !== undefined) {
      const fate = fateOf(failure);
      if (fate === 'mistake') progress.mistakes += 1;
      if (fate === 'final' || progress.mistakes >= attempts) throw failure;
      onError?.(failure);
    }
    onState?.('waiting');
    const { retryMs, failures } = progress;
    progress.failures += 1;
    const backOffMs = Math.min(retryMs * 2 ** failures, Math.max(longestPauseMs, retryMs));
    const askedMs = failure instanceof StoreProblem ? (failure.retryAfterMs ?? 0) : 0;
    await pause(Math.max(askedMs, backOffMs) * (1 + Math.random() / 2), signal);
  }
}

/**
 * Yields the events of one connection until it ends or falls silent.
 * @returns why it ended; undefined if the store closed it
 * @throws whatever the caller's functions throw
 */
async function* connection(
  send: typeof fetch,
  url: string,
  progress: Progress,
  { signal, onStart, onState, attemptTimeoutMs = 15_000, silentMs = 40_000 }: OrderEventsOptions,
): AsyncGenerator<OrderEvent, unknown, undefined> {
  const limit = timeLimit(attemptTimeoutMs, signal);
  const events: EventSourceMessage[] = [];
  const parser = createParser({
    onEvent: (event) => void events.push(event),
    onRetry: (ms) => {
      progress.retryMs = Math.max(ms, 100);
    },
  });
  try {
    const { value: response, error: refusal } = await settled(open(send, url, progress.cursor, limit.signal));
    if (!response) return refusal;
    const stream = response.body.pipeThrough(new TextDecoderStream()).getReader();
    progress.mistakes = 0;
    onState?.('open');
    for (;;) {
      limit.renew(silentMs);
      const { value: chunk, error } = await settled(stream.read());
      if (chunk?.value === undefined) return error;
      progress.failures = 0;
      parser.feed(chunk.value);
      for (const { id = progress.cursor, event, data } of events.splice(0)) {
        if (event === 'start' || event === 'reset') onStart?.();
        const order = event === 'order' && id !== undefined ? { id, ...changeOf(data, response) } : undefined;
        progress.cursor = id;
        if (order) yield order;
      }
    }
  } finally {
    limit.end();
  }
}

/** @throws StoreProblem unless the reply is a stream */
async function open(send: typeof fetch, url: string, cursor: string | undefined, signal: AbortSignal) {
  const response = await send(urlOf(url, '/orders/events'), {
    headers: { accept: 'text/event-stream', ...(cursor !== undefined && { 'last-event-id': cursor }) },
    credentials: 'include',
    redirect: 'manual',
    signal,
  });
  const redirect = redirectOf(response);
  if (redirect) throw redirect;
  if (response.status >= 400) throw problemOf(response, await response.text());
  const isStream = /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '');
  if (!isStream || response.body === null) throw foreign(response, 'a stream of events');
  return response as Response & { body: NonNullable<Response['body']> };
}

/** @throws StoreProblem for data that no store sends */
function changeOf(text: string, response: Response): Data {
  try {
    const data: unknown = JSON.parse(text);
    if (typeof data === 'object' && data !== null) return data as Data;
  } catch {
    // Reported below.
  }
  throw foreign(response, 'a change of an order', text.slice(0, 100));
}

/** Says whether to reconnect. A `mistake` may pass, such as a release being installed or a hotspot's login page. */
function fateOf(failure: unknown): 'temporary' | 'mistake' | 'final' {
  if (!(failure instanceof StoreProblem) || failure.status >= 500 || failure.status === 429) return 'temporary';
  return failure.status === 404 || failure.status < 400 ? 'mistake' : 'final';
}

const settled = <T>(promise: Promise<T>): Promise<{ value?: T; error?: unknown }> =>
  promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
