import { randomInt } from 'node:crypto';
import type { ServerResponse } from 'node:http';

interface Event {
  /** The client sends it as Last-Event-ID to continue after this event. One line. */
  id: string;
  event: string;
  data: object;
}

/** Time after which a client reconnects. It is random, so that the clients of one replica do not all return at once. */
const minRetryMs = 2_000;
const maxRetryMs = 4_000;
/** Heartbeats are comments. They keep both sides from taking a quiet stream for a broken stream (contract 2.5). */
const heartbeatMs = 15_000;
/** Time after which a client that does not read is cut off. It resumes later (contract 4.11). */
const unreadForMs = 60_000;
const endMs = 1_000;

export type EventStream = ReturnType<typeof createEventStream>;

/**
 * Writes server-sent events to a response (HTML, 9.2).
 * @param res its head has been sent
 * @param clock milliseconds
 */
export function createEventStream(res: ServerResponse, clock: () => number = Date.now) {
  let writtenAt = clock();
  const isFull = () => res.writableLength > 0;
  function write(text: string): void {
    if (res.destroyed || res.writableEnded) return;
    writtenAt = clock();
    res.write(text);
  }
  write(`retry: ${randomInt(minRetryMs, maxRetryMs)}\n`);

  return {
    send: (events: Event[]): void =>
      write(
        events.map(({ id, event, data }) => `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`).join(''),
      ),
    /** Whether the client has not read everything. Nothing more should be sent then, because the process would have to buffer it. */
    isFull,
    /** Call it about every second. */
    beat(): void {
      const quietMs = clock() - writtenAt;
      if (isFull()) {
        if (quietMs >= unreadForMs) res.destroy();
      } else if (quietMs >= heartbeatMs) write(':\n\n');
    },
    /** Ends the stream. A client that does not read the rest at once loses it, so that no client delays the process. */
    end(): void {
      res.end();
      setTimeout(() => res.writableFinished || res.destroy(), endMs).unref();
    },
  };
}
