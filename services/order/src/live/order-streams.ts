import type { ServerResponse } from 'node:http';
import { DomainError } from '@store/shared/values/errors';
import { Gauge } from 'prom-client';
import type { AuthClient } from '../auth-client.ts';
import { createEventStream, type EventStream } from './event-stream.ts';
import type { OrderChange, OrderChanges } from './order-change-repository.ts';
import { idOf, type Position, positionFrom } from './position.ts';
import type { Session } from './session.ts';
import { createOpenStreams, type StreamLimits } from './stream-limits.ts';

const openStreams = new Gauge({ name: 'order_streams_open', help: 'Open streams of order events.' });

/** contract 2.5 */
const maxStreams = 5_000;
/** How long auth may be unavailable. After that, streams end, because their sessions may have ended. */
const uncheckedForMs = 5_000;
/** Changes that are read at once for all streams, some 3 MB. If there are more, each stream reads its own. */
const maxRead = 5_000;
/** Changes that a stream gets at once, some 45 KB. A client that lacks more is told to read its orders again. */
const maxMissed = 200;
/** Streams that catch up per round, so that other streams do not wait for all of them. */
const maxLate = 100;

interface Dependencies {
  changes: OrderChanges;
  check: AuthClient['findEnded'];
  limits?: Partial<StreamLimits>;
}

interface Stream {
  session: Session;
  address: string | undefined;
  /** Undefined until its head has been sent. */
  events?: EventStream;
  /** Position from which the client still has to catch up, after its start or because it reads slowly. */
  behind?: Position | undefined;
}

export type OrderStreams = ReturnType<typeof createOrderStreams>;

/** The open streams of a process. One job follows the log for all streams, and another asks auth about all sessions. */
export function createOrderStreams({ changes, check, limits }: Dependencies) {
  const open = createOpenStreams<Stream>({ max: maxStreams, maxPerAddress: 0, ...limits });
  const streams = open.all;
  /** All streams have the log up to here, unless they are behind. */
  let position: Position | undefined;
  /** When auth last told which sessions have ended. */
  let checkedAt = 0;
  let isEnded = false;

  function add(stream: Stream): void {
    if (isEnded) throw new DomainError('unavailable', 'The process is stopping. Try again.');
    const oldest = open.add(stream);
    if (oldest !== undefined) remove(oldest);
  }

  function remove(stream: Stream): void {
    if (!open.delete(stream) || stream.events === undefined) return;
    openStreams.dec();
    stream.events.end();
  }

  /**
   * Sends each stream the changes since the last round, and lets some of the streams that are behind catch up.
   * @returns whether more streams may be behind
   */
  async function follow(): Promise<boolean> {
    const late = [...streams].filter(({ behind, events }) => behind && events?.isFull() === false).slice(0, maxLate);
    if (streams.size === 0) position = undefined;
    else {
      const now = await changes.present();
      await deliver(position ?? now, now);
      position = now;
      for (const stream of late) await catchUp(stream, now);
    }
    return late.length === maxLate;
  }

  async function deliver(seen: Position, until: Position): Promise<void> {
    const found = await changes.between(seen, until, maxRead);
    const byAccount = Map.groupBy(found ?? [], ({ accountId }) => accountId);
    for (const stream of streams) {
      const own = byAccount.get(stream.session.accountId) ?? [];
      if (found === undefined || own.length > maxMissed || (own.length > 0 && stream.events?.isFull()))
        stream.behind ??= seen;
      else if (own.length > 0 && stream.behind === undefined) stream.events?.send(eventsOf(own, seen, until));
    }
  }

  async function catchUp(stream: Stream, until: Position): Promise<void> {
    const { behind: seen, events, session } = stream;
    if (seen === undefined) return;
    const missed = await changes.between(seen, until, maxMissed, session.accountId);
    events?.send(missed === undefined ? [mark('reset', until)] : eventsOf(missed, seen, until));
    stream.behind = undefined;
  }

  const hasExpired = ({ expiresAt }: Session) => expiresAt * 1_000 <= Date.now();

  /** Sends heartbeats, and ends the streams of sessions that have ended. */
  async function heartbeatAndPrune(): Promise<void> {
    const current = [...streams];
    for (const { events } of current) events?.beat();
    try {
      const ended = current.length === 0 ? new Set() : await check(current.map(({ session }) => session));
      checkedAt = Date.now();
      for (const stream of current) if (ended.has(stream.session.id) || hasExpired(stream.session)) remove(stream);
    } catch (error) {
      if (Date.now() - checkedAt > uncheckedForMs) for (const stream of current) remove(stream);
      throw error;
    }
  }

  return {
    follow,
    heartbeatAndPrune,

    /**
     * Opens a stream for the account of a session, from now on or from the client's last event on.
     * @param address the client's address
     * @param lastEventId the id of the last event that the client has seen
     * @returns a function that writes events to a response whose head has been sent
     * @throws DomainError rateLimited or unavailable beyond the limits, unauthenticated if the session has ended
     */
    async open(
      session: Session,
      address: string | undefined,
      lastEventId: string | undefined,
    ): Promise<(res: ServerResponse) => void> {
      const stream: Stream = { session, address };
      add(stream);
      const present = await Promise.all([changes.present(), check([session])])
        .then(([position, ended]) => {
          if (!ended.has(session.id) && !hasExpired(session)) return position;
          throw new DomainError('unauthenticated', 'The session has ended.');
        })
        .catch((error: unknown) => {
          remove(stream);
          throw error;
        });
      return (res) => {
        const events = createEventStream(res);
        res.on('close', () => remove(stream));
        if (res.closed || !streams.has(stream)) {
          remove(stream);
          events.end();
          return;
        }
        openStreams.inc();
        stream.events = events;
        stream.behind = lastEventId === undefined ? undefined : positionFrom(lastEventId, present);
        if (stream.behind === undefined) events.send([mark(lastEventId === undefined ? 'start' : 'reset', present)]);
        stream.behind ??= present;
      };
    },

    /** Ends all streams, so that their clients go to another replica. */
    end(): void {
      isEnded = true;
      for (const stream of streams) remove(stream);
    },
  };
}

const mark = (event: 'start' | 'reset', position: Position) => ({ id: idOf(position), event, data: {} });

/** @param until position of a client that has all of the changes. A client that has only some is still at `seen`. */
function eventsOf(changes: OrderChange[], seen: Position, until: Position) {
  const [before, after] = [idOf(seen), idOf(until)];
  return changes.map(({ orderId, status, changedAt }, index) => ({
    id: index === changes.length - 1 ? after : before,
    event: 'order',
    data: { orderId, status, changedAt: changedAt.toISOString() },
  }));
}
