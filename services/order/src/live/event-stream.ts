import { randomInt } from 'node:crypto';
import type { ServerResponse } from 'node:http';

interface Event {
  /** With which the client asks for what comes after it (Last-Event-ID). One line. */
  id: string;
  event: string;
  data: object;
}

/** How long a client waits before it connects again; at random, so that those of one replica do not all come back at once. */
const minRetryMs = 2_000;
const maxRetryMs = 4_000;
/** As comments, so that neither side takes a quiet stream for a broken one (contract 2.5). */
const heartbeatMs = 15_000;
/** Time after which a client that has not read what was sent is cut off; it resumes later (contract 4.11). */
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
    /** Tells whether some of what was sent waits for the client: nothing more should be sent, since the process would have to hold it. */
    isFull,
    /** To be called every second or so. */
    beat(): void {
      const quietMs = clock() - writtenAt;
      if (isFull()) {
        if (quietMs >= unreadForMs) res.destroy();
      } else if (quietMs >= heartbeatMs) write(':\n\n');
    },
    /** Ends the stream: what the client does not read at once is lost, so that none keeps the process waiting. */
    end(): void {
      res.end();
      setTimeout(() => res.writableFinished || res.destroy(), endMs).unref();
    },
  };
}
