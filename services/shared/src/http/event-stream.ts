import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

interface Event {
  /** With which the client asks for what comes after it (Last-Event-ID). One line. */
  id: string;
  event: string;
  data: object;
}

/** When a client connects again after the end of a stream, in milliseconds. */
const retryMs = 2_000;
/** As comments, so that neither side takes a quiet stream for a broken one (contract 2.5). */
const heartbeatMs = 15_000;
/** Who has not read what was sent for so long is cut off, and resumes later (contract 4.11). */
const unreadForMs = 60_000;

export type EventStream = ReturnType<typeof createEventStream>;

/**
 * Writes server-sent events to a response (HTML, 9.2).
 * @param res its head has been sent
 * @param clock milliseconds
 */
export function createEventStream(res: ServerResponse, clock: () => number = Date.now) {
  let writtenAt = clock();
  const isOpen = () => !res.destroyed && !res.writableEnded;
  function write(text: string): void {
    if (!isOpen()) return;
    writtenAt = clock();
    res.write(text);
  }
  write(`retry: ${retryMs}\n`);

  return {
    send: (events: Event[]): void =>
      write(
        events.map(({ id, event, data }) => `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`).join(''),
      ),
    /** Whether what was sent waits for the client: nothing more should be sent before it `isRead`. */
    isFull: () => res.writableNeedDrain,
    /** Resolves when the client has read most of what was sent, or has gone. */
    async isRead(): Promise<void> {
      if (!res.writableNeedDrain) return;
      const either = new AbortController();
      const { signal } = either;
      await Promise.race([once(res, 'drain', { signal }), once(res, 'close', { signal })]);
      either.abort();
    },
    /** To be called every second or so. */
    beat(): void {
      const quietMs = clock() - writtenAt;
      if (!res.writableNeedDrain) {
        if (quietMs >= heartbeatMs) write(':\n\n');
      } else if (quietMs >= unreadForMs) res.destroy();
    },
    isOpen,
    /** What the client has not read by now is lost, so that none keeps it waiting. */
    end: () => void (res.writableNeedDrain ? res.destroy() : res.end()),
  };
}
