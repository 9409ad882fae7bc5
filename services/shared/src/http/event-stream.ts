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
/** What a client has not read; beyond it, it is cut off and resumes later. */
const mostUnreadBytes = 256 * 1024;

export type EventStream = ReturnType<typeof createEventStream>;

/**
 * Writes server-sent events to a response (HTML, 9.2).
 * @param res its head has been sent
 * @param clock milliseconds
 */
export function createEventStream(res: ServerResponse, clock: () => number = Date.now) {
  let writtenAt = clock();
  function write(text: string): void {
    if (res.closed || res.writableEnded) return;
    writtenAt = clock();
    res.write(text);
    if (res.writableLength > mostUnreadBytes) res.destroy();
  }
  write(`retry: ${retryMs}\n`);

  return {
    send: (events: Event[]): void =>
      write(
        events.map(({ id, event, data }) => `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`).join(''),
      ),
    /** Resolves when the client has read most of what was sent, or has gone. */
    async isRead(): Promise<void> {
      if (!res.writableNeedDrain || res.closed) return;
      const either = new AbortController();
      const { signal } = either;
      await Promise.race([once(res, 'drain', { signal }), once(res, 'close', { signal })]);
      either.abort();
    },
    beat(): void {
      if (clock() - writtenAt >= heartbeatMs) write(':\n\n');
    },
    isOpen: () => !res.closed && !res.writableEnded,
    end: () => void res.end(),
  };
}
