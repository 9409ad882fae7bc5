import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { problemOf, StoreProblem } from './problem.ts';
import { pause, temporary } from './retry.ts';
import type { OrderEvent as Data } from './schema.ts';

/** A status that an order of the caller has from now on. */
export interface OrderEvent extends Data {
  /** To go on behind this event: `lastEventId`. */
  id: string;
}

export interface OrderEventsOptions {
  signal?: AbortSignal;
  /** Of the last event that was handled. Without it, events begin with the call. */
  lastEventId?: string;
  /** Called if events may have been missed, after days without a connection: read the orders again. */
  onReset?: () => void;
}

/** The store sends a heartbeat every 15 s. */
const silentForMs = 40_000;
const longestPauseMs = 30_000;

/**
 * Follows the status of the caller's orders. After a break it goes on where it was, so that each change comes once.
 * @returns rejects with a StoreProblem when the session has ended (401), and with the signal's reason
 */
export async function* orderEvents(
  send: (request: Request) => Promise<Response>,
  url: string,
  { signal, lastEventId, onReset }: OrderEventsOptions = {},
): AsyncGenerator<OrderEvent, void, undefined> {
  const abandoned = new AbortController();
  const either = AbortSignal.any([abandoned.signal, ...(signal ? [signal] : [])]);
  let cursor = lastEventId;
  try {
    for (let failures = 0; ; ) {
      let pauseMs = 0;
      try {
        for await (const { id = cursor, event, data } of connect(send, url, cursor, either)) {
          failures = 0;
          cursor = id;
          if (event === 'reset') onReset?.();
          if (event === 'order' && id !== undefined) yield { id, ...(JSON.parse(data) as Data) };
        }
      } catch (error) {
        signal?.throwIfAborted();
        if (error instanceof StoreProblem) {
          if (!temporary.has(error.status)) throw error;
          pauseMs = error.retryAfterMs ?? 0;
        }
      }
      failures += 1;
      const backOffMs = Math.min(500 * 2 ** failures, longestPauseMs) * (0.5 + Math.random() / 2);
      await pause(Math.max(pauseMs, backOffMs), either);
    }
  } finally {
    abandoned.abort();
  }
}

/** The events of one connection, until it ends or falls silent. */
async function* connect(
  send: (request: Request) => Promise<Response>,
  url: string,
  cursor: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<EventSourceMessage, void, undefined> {
  const silent = new AbortController();
  const request = new Request(new URL('/orders/events', url), {
    headers: { accept: 'text/event-stream', ...(cursor !== undefined && { 'last-event-id': cursor }) },
    credentials: 'include',
    signal: AbortSignal.any([signal, silent.signal]),
  });
  let timer = setTimeout(() => silent.abort(), silentForMs);
  try {
    const response = await send(request);
    if (!response.ok || response.body === null) throw await problemOf(response);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    const events: EventSourceMessage[] = [];
    const parser = createParser({ onEvent: (event) => void events.push(event) });
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(timer);
      timer = setTimeout(() => silent.abort(), silentForMs);
      parser.feed(value);
      yield* events.splice(0);
    }
  } finally {
    clearTimeout(timer);
    silent.abort();
  }
}
