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
  /**
   * Called when the events begin, and again where some may be missing, after days without a connection. What is read of orders
   * from then on, together with the events, is complete.
   */
  onStart?: () => void;
}

/** The store sends a heartbeat every 15 s. */
const silentForMs = 40_000;
const longestPauseMs = 30_000;

/**
 * Follows the status of the caller's orders. After a break it goes on where it was, so that each change comes once. It comes
 * back for as long as the store cannot answer, or refuses for the moment.
 * @returns rejects with a StoreProblem when the store refuses, such as by 401 when the session has ended, and with the
 *   signal's reason
 */
export async function* orderEvents(
  send: (request: Request) => Promise<Response>,
  url: string,
  { signal, lastEventId, onStart }: OrderEventsOptions = {},
): AsyncGenerator<OrderEvent, void, undefined> {
  const abandoned = new AbortController();
  const either = AbortSignal.any([abandoned.signal, ...(signal ? [signal] : [])]);
  let cursor = lastEventId;
  try {
    for (let failures = 0; ; ) {
      let pauseMs = 0;
      try {
        const onOpen = () => {
          failures = 0;
        };
        for await (const { id = cursor, event, data } of connect(send, url, cursor, either, onOpen)) {
          cursor = id;
          if (event === 'start' || event === 'reset') onStart?.();
          if (event === 'order' && id !== undefined) yield { id, ...(JSON.parse(data) as Data) };
        }
      } catch (error) {
        signal?.throwIfAborted();
        if (error instanceof StoreProblem) {
          if (error.status < 500 && !temporary.has(error.status)) throw error;
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
  onOpen: () => void,
): AsyncGenerator<EventSourceMessage, void, undefined> {
  const silent = new AbortController();
  const request = new Request(`${url.replace(/\/$/, '')}/orders/events`, {
    headers: { accept: 'text/event-stream', ...(cursor !== undefined && { 'last-event-id': cursor }) },
    credentials: 'include',
    signal: AbortSignal.any([signal, silent.signal]),
  });
  let timer = setTimeout(() => silent.abort(), silentForMs);
  try {
    const response = await send(request);
    if (!response.ok || response.body === null) throw await problemOf(response);
    onOpen();
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
