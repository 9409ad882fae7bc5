import type { ServerResponse } from 'node:http';
import type { Logger } from '@store/shared/observability/log';
import { DomainError } from '@store/shared/values/errors';
import { loop } from '@store/shared/values/loop';
import { Gauge } from 'prom-client';
import { createEventStream, type EventStream } from './event-stream.ts';
import { createOpenStreams, type StreamLimits } from './open-streams.ts';
import type { OrderChange, OrderChanges } from './order-change-repository.ts';
import { idOf, type Position, positionFrom } from './position.ts';
import type { Session } from './session.ts';
import type { SessionCheck } from './session-client.ts';

const openStreams = new Gauge({ name: 'order_streams_open', help: 'Streams of order events that have begun.' });

/** contract 2.5 */
const maxStreams = 5_000;
/** How soon a change is seen, and the end of a session (contract 4.11). */
const followEveryMs = 250;
const checkEveryMs = 500;
const beatEveryMs = 1_000;
/** How long auth may be silent: after that nobody knows whose sessions have ended. */
const uncheckedForMs = 5_000;
/** Changes that a stream gets at once, some 45 KB: a client that lacks more is told to read its orders again. */
const maxMissed = 200;

interface Dependencies {
  changes: OrderChanges;
  check: SessionCheck;
  log: Logger;
  limits?: Partial<StreamLimits>;
  /** Milliseconds since 1970. */
  clock?: () => number;
}

interface Stream {
  session: Session;
  address: string | undefined;
  /** Undefined until its head has been sent. */
  events?: EventStream;
  /** The position of a client that lacks what came after it, until it has that. */
  behind?: Position | undefined;
}

/** From the first stream that is opened until none is left. */
interface Run {
  /** The present, as far as its changes are being sent: streams that open begin here. */
  position: Position;
  /** Up to here all streams have the log, but those that are behind. Not the position where reading has failed half-way. */
  delivered: Position;
  /** When auth last said whose sessions have ended. */
  checkedAt: number;
  isOver: () => boolean;
  stop: () => void;
}

export type OrderStreams = ReturnType<typeof createOrderStreams>;

/**
 * The open streams of a process. One reader follows the log for all of them, and one asks auth for all of their sessions; while
 * none is open, neither does anything.
 */
export function createOrderStreams({ changes, check, log, limits, clock = Date.now }: Dependencies) {
  const streams = createOpenStreams<Stream>({ max: maxStreams, maxPerAddress: 0, ...limits });
  /** While streams are open. */
  let run: Promise<Run> | undefined;
  let isEnded = false;

  function add(stream: Stream): Promise<Run> {
    if (isEnded) throw new DomainError('unavailable', 'The process is stopping. Try again.');
    const oldest = streams.add(stream);
    if (oldest !== undefined) remove(oldest);
    run ??= start();
    return run;
  }

  function remove(stream: Stream): void {
    if (!streams.delete(stream)) return;
    if (stream.events !== undefined) {
      openStreams.dec();
      stream.events.end();
    }
    if (streams.count() > 0) return;
    run?.then(({ stop }) => stop()).catch(() => undefined);
    run = undefined;
  }

  function start(): Promise<Run> {
    const own: Promise<Run> = changes.present().then((position) => {
      const isOver = () => run !== own;
      const self: Run = { position, delivered: position, checkedAt: clock(), isOver, stop };
      const loops = [
        repeat(followEveryMs, () => deliver(self), 'Changes of orders cannot be read'),
        repeat(followEveryMs, () => catchUp(self), 'What streams lack cannot be read'),
        repeat(checkEveryMs, () => endSessions(self), 'Sessions of open streams cannot be checked'),
        repeat(beatEveryMs, beat, 'Heartbeats cannot be sent'),
      ];
      function stop(): void {
        for (const one of loops) one.stop();
      }
      return self;
    });
    return own;
  }
  function repeat(everyMs: number, work: () => Promise<void>, failure: string) {
    const failed = (error: unknown, failures: number) => failures === 1 && log.warn({ err: error }, failure);
    const retry = { firstMs: everyMs, maxMs: everyMs };
    return loop({ name: 'streams', everyMs, delayMs: everyMs, retry, failed }, work).start(log);
  }

  /** Sends what was committed since the last time. */
  async function deliver(self: Run): Promise<void> {
    const { delivered: seen } = self;
    const by = await changes.present();
    if (by.incarnation !== seen.incarnation) {
      for (const stream of streams.all()) stream.behind ??= seen;
    } else {
      for await (const { changes: found, isLast } of changes.between(seen, by)) {
        if (self.isOver()) return;
        self.position = by;
        send(found, seen, isLast ? by : seen);
      }
    }
    self.position = by;
    self.delivered = by;
  }

  function send(found: OrderChange[], seen: Position, by: Position): void {
    const byStreams = new Map<ReadonlySet<Stream>, OrderChange[]>();
    for (const change of found) {
      const ofAccount = streams.ofAccount(change.accountId);
      if (ofAccount === undefined) continue;
      const some = byStreams.get(ofAccount);
      if (some === undefined) byStreams.set(ofAccount, [change]);
      else some.push(change);
    }
    for (const [ofAccount, some] of byStreams) {
      const events = eventsOf(some, seen, by);
      for (const stream of ofAccount) {
        if (stream.events?.isFull() || some.length > maxMissed) stream.behind ??= seen;
        else if (stream.behind === undefined) stream.events?.send(events);
      }
    }
  }

  /** Sends what they lack to streams that are behind, and whose clients have read what was sent before. */
  async function catchUp(self: Run): Promise<void> {
    for (const stream of streams.all()) {
      const { behind: seen, events, session } = stream;
      if (seen === undefined || events === undefined || events.isFull()) continue;
      const by = self.position;
      const missed = await changes.missed(session.accountId, seen, by, maxMissed);
      if (self.isOver()) return;
      events.send(missed === undefined ? [mark('reset', by)] : eventsOf(missed, seen, by));
      // Meanwhile others may have got more.
      stream.behind = self.position === by ? undefined : by;
    }
  }

  const hasExpired = ({ expiresAt }: Session) => expiresAt * 1_000 <= clock();

  async function beat(): Promise<void> {
    for (const stream of streams.all()) stream.events?.beat();
  }

  async function endSessions(self: Run): Promise<void> {
    const open = [...streams.all()];
    try {
      const ended = await check(open.map(({ session }) => session));
      self.checkedAt = clock();
      for (const stream of open) {
        if (ended.has(stream.session.id) || hasExpired(stream.session)) remove(stream);
      }
    } catch (error) {
      if (clock() - self.checkedAt > uncheckedForMs) for (const stream of open) remove(stream);
      throw error;
    }
  }

  return {
    /**
     * Opens a stream for the account of a session, from now on or from where a client was.
     * @param address the client's
     * @param lastEventId of the last event that the client has seen
     * @returns writes its events to a response whose head has been sent
     * @throws DomainError rateLimited or unavailable beyond the limits, unauthenticated if the session has ended
     */
    async open(
      session: Session,
      address: string | undefined,
      lastEventId: string | undefined,
    ): Promise<(res: ServerResponse) => void> {
      const stream: Stream = { session, address };
      const own = add(stream);
      let self: Run;
      try {
        const [ended, started] = await Promise.all([check([session]), own]);
        if (ended.has(session.id) || hasExpired(session))
          throw new DomainError('unauthenticated', 'The session has ended.');
        self = started;
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
        openStreams.inc();
        const { position } = self;
        stream.behind = lastEventId === undefined ? undefined : positionFrom(lastEventId, position);
        if (stream.behind === undefined) events.send([mark(lastEventId === undefined ? 'start' : 'reset', position)]);
      };
    },

    /** Ends all streams, so that their clients go to another replica. */
    end(): void {
      isEnded = true;
      for (const stream of streams.all()) remove(stream);
    },
  };
}

const mark = (event: 'start' | 'reset', position: Position) => ({ id: idOf(position), event, data: {} });

/** @param by what a client with all of them has; with some of them it has what it had before */
function eventsOf(changes: OrderChange[], seen: Position, by: Position) {
  const [before, after] = [idOf(seen), idOf(by)];
  return changes.map(({ orderId, status, changedAt }, index) => ({
    id: index === changes.length - 1 ? after : before,
    event: 'order',
    data: { orderId, status, changedAt: changedAt.toISOString() },
  }));
}
