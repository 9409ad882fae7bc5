import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { createEventStream, type EventStream } from '@store/shared/http/event-stream';
import type { Logger } from '@store/shared/observability/log';
import { DomainError } from '@store/shared/values/errors';
import { Gauge } from 'prom-client';
import { type Cursor, cursorFrom, cursorText, type Snapshot } from './cursor.ts';
import { inTurn } from './in-turn.ts';
import type { OrderChange, OrderChanges } from './order-changes.ts';
import type { Session, SessionCheck } from './sessions.ts';

const openStreams = new Gauge({ name: 'order_streams_open', help: 'Streams of order events that are open.' });

/** contract 2.5 */
const mostPerAccount = 10;
const most = 5_000;
/** How soon a change is seen, and the end of a session (contract 4.11). */
const followEveryMs = 250;
const checkEveryMs = 500;
const beatEveryMs = 1_000;
/** How long auth may be silent: after that nobody knows whose sessions have ended. */
const uncheckedForMs = 5_000;
/** What is read from the log at once for a stream that is behind: some 60 KB. */
const pageSize = 250;

interface Dependencies {
  changes: OrderChanges;
  check: SessionCheck;
  log: Logger;
  /** Milliseconds since 1970. */
  clock?: () => number;
}

interface Stream {
  session: Session;
  /** Undefined until its head has been sent. */
  events?: EventStream;
  /** While it is sent from the log what it lacks; `isMore` if its account has changes that were not read yet. */
  behind?: { isMore: boolean } | undefined;
}

/** From the first stream that is opened until none is left. */
interface Run {
  /** Up to here the log has been read for all streams. */
  position: Snapshot | undefined;
  /** When auth last said whose sessions have ended. */
  checkedAt: number;
  /** Moves the position to what is present when it is called, or later. */
  advance: () => Promise<void>;
}

export type OrderStreams = ReturnType<typeof createOrderStreams>;

/**
 * The open streams of a process. One reader follows the log for all of them, and one asks auth for all of their sessions; while
 * none is open, neither does anything.
 */
export function createOrderStreams({ changes, check, log, clock = Date.now }: Dependencies) {
  const streams = new Set<Stream>();
  const byAccount = new Map<string, Set<Stream>>();
  /** While streams are open. */
  let run: Run | undefined;
  let isEnded = false;

  function add(stream: Stream): Run {
    const { accountId } = stream.session;
    const ofAccount = byAccount.get(accountId) ?? new Set();
    if (isEnded || streams.size >= most) {
      throw new DomainError('unavailable', 'Too many streams are open. Try again shortly.', { code: 'overloaded' });
    }
    if (ofAccount.size >= mostPerAccount) {
      throw new DomainError('rateLimited', `At most ${mostPerAccount} streams of an account can be open.`, {
        code: 'too-many-streams',
        retryAfterSeconds: 10,
      });
    }
    byAccount.set(accountId, ofAccount.add(stream));
    openStreams.set(streams.add(stream).size);
    run ??= start();
    return run;
  }

  function remove(stream: Stream): void {
    if (!streams.delete(stream)) return;
    openStreams.set(streams.size);
    const { accountId } = stream.session;
    byAccount.get(accountId)?.delete(stream);
    if (byAccount.get(accountId)?.size === 0) byAccount.delete(accountId);
    stream.events?.end();
    if (streams.size === 0) run = undefined;
  }

  function start(): Run {
    const started: Run = { position: undefined, checkedAt: clock(), advance: inTurn(() => deliver(started)) };
    repeat(started, followEveryMs, started.advance, 'Changes of orders cannot be read');
    repeat(started, checkEveryMs, () => endSessions(started), 'Sessions of open streams cannot be checked');
    repeat(started, beatEveryMs, beat, 'Heartbeats cannot be sent');
    return started;
  }
  async function repeat(self: Run, everyMs: number, work: () => Promise<void>, failure: string): Promise<void> {
    for (let failures = 0; ; ) {
      await wait(everyMs);
      if (run !== self) return;
      try {
        await work();
        failures = 0;
      } catch (error) {
        if (failures === 0) log.warn({ err: error }, failure);
        failures += 1;
      }
    }
  }

  /** Reads what was committed since the last time, for all streams. */
  async function deliver(self: Run): Promise<void> {
    const seen = self.position;
    if (seen === undefined) {
      self.position = await changes.snapshot();
      return;
    }
    const { snapshot: next, changes: found } = await changes.after(seen);
    self.position = next;
    const now = clock();
    for (const change of run === self ? found : []) {
      const ofAccount = byAccount.get(change.accountId);
      if (ofAccount === undefined) continue;
      const cursor = { seen, next, seq: change.seq };
      for (const stream of ofAccount) {
        if (stream.behind !== undefined) {
          stream.behind.isMore = true;
          continue;
        }
        stream.events?.send([eventOf(change, cursor, now)]);
        if (stream.events?.isFull()) catchUp(self, stream, stream.events, cursor);
      }
    }
  }

  async function beat(): Promise<void> {
    for (const stream of streams) stream.events?.beat();
  }

  async function endSessions(self: Run): Promise<void> {
    const open = [...streams];
    try {
      const ended = await check(open.map(({ session }) => session));
      self.checkedAt = clock();
      for (const stream of open) {
        if (ended.has(stream.session.id) || stream.session.expiresAt * 1_000 <= self.checkedAt) remove(stream);
      }
    } catch (error) {
      if (clock() - self.checkedAt > uncheckedForMs) for (const stream of open) remove(stream);
      throw error;
    }
  }

  /** Sends what comes after a cursor from the log, as fast as the client reads, until the stream has what the others have. */
  async function catchUp(self: Run, stream: Stream, events: EventStream, cursor: Cursor): Promise<void> {
    const behind = { isMore: true };
    stream.behind = behind;
    try {
      for (let from = cursor; behind.isMore; ) {
        await events.isRead();
        if (!events.isOpen()) return;
        behind.isMore = false;
        const by = self.position ?? '';
        const missed = await changes.missed(stream.session.accountId, from, by, pageSize);
        const now = clock();
        events.send(missed.map(({ change, at }) => eventOf(change, at, now)));
        const last = missed[pageSize - 1];
        if (last !== undefined) behind.isMore = true;
        from = last?.at ?? { seen: by, next: by, seq: '0' };
      }
      stream.behind = undefined;
    } catch (error) {
      log.warn({ err: error }, 'A stream ends: what it missed cannot be read');
      remove(stream);
    }
  }

  return {
    /**
     * Opens a stream for the account of a session, from now on or from where a client was.
     * @param lastEventId of the last event that the client has seen
     * @returns writes its events to a response whose head has been sent
     * @throws DomainError rateLimited or unavailable beyond the limits, unauthenticated if the session has ended
     */
    async open(session: Session, lastEventId: string | undefined): Promise<(res: ServerResponse) => void> {
      const stream: Stream = { session };
      const own = add(stream);
      try {
        const ended = await check([session]);
        if (ended.has(session.id)) throw new DomainError('unauthenticated', 'The session has ended.');
        // Another replica may have been further when it gave the client its cursor.
        await own.advance();
      } catch (error) {
        remove(stream);
        throw error;
      }
      return (res) => {
        const events = createEventStream(res, clock);
        res.on('close', () => remove(stream));
        if (res.closed || !streams.has(stream)) {
          remove(stream);
          events.end();
          return;
        }
        stream.events = events;
        const by = own.position ?? '';
        const cursor = lastEventId === undefined ? undefined : cursorFrom(lastEventId, clock(), by);
        if (cursor === undefined) {
          // Tells a client whose cursor is of no use that it may have missed something.
          const event = lastEventId === undefined ? 'start' : 'reset';
          events.send([{ id: cursorText({ seen: by, next: by, seq: '0' }, clock()), event, data: {} }]);
          return;
        }
        catchUp(own, stream, events, cursor);
      };
    },

    /** Ends all streams, so that their clients go to another replica. */
    end(): void {
      isEnded = true;
      for (const stream of streams) remove(stream);
    },
  };
}

function eventOf({ orderId, status, changedAt }: OrderChange, cursor: Cursor, now: number) {
  return {
    id: cursorText(cursor, now),
    event: 'order',
    data: { orderId, status, changedAt: changedAt.toISOString() },
  };
}
