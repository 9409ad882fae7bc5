import type pg from 'pg';
import { createClient } from '../../database/connection.ts';
import type { Logger } from '../../observability/log.ts';
import { loop } from '../../values/loop.ts';
import { sleep, within } from '../../values/time.ts';
import type { StoredEvent } from '../events.ts';
import type { Publisher } from '../kafka/publisher.ts';
import { outboxChannel } from './append.ts';
import { bytesOf, toLanes } from './lanes.ts';
import { relayMetrics } from './metrics.ts';
import { lockOutbox, markAndRead, markSent } from './statements.ts';

/** Publishers of a relay: a broker answers a connection's requests in turn, each once all replicas have the events. */
export const laneCount = 8;
/** A batch fills the lanes, and is bounded in memory. */
const maxEvents = 5_000;
const batchBytes = laneCount * 512 * 1024;
/** Pause per published event: it reads again at once while there are few; many gather and are published together. */
const gatherMsPerEvent = 5;
const longestGatherMs = 25;
/** How often it looks by itself, as a notification or the active relay may be lost. */
export const pollEveryMs = 1_000;
/** Pauses after failures in a row. */
const retryPauses = { firstMs: 100, maxMs: 2_000 };
/** Time for which a relay that the broker fails leaves the outbox to one that stands by: that one polls meanwhile. */
export const stepAsideMs = 2_000;
/** PostgreSQL ends the connection of an active relay that asks it nothing for this long: it has hung. */
export const hungAfterMs = 30_000;
const connectTimeoutMs = 2_000;
const statementTimeoutMs = 10_000;
/** The end of a connection that a network has forgotten would take as long as TCP's own time-outs. */
const disconnectTimeoutMs = 2_000;
const stopTimeoutMs = 4_000;

interface RelayOptions {
  databaseUrl: string;
  topic: string;
  /** Used as the load grows, the first one always; each with connections of its own. */
  publishers: readonly Publisher[];
  log: Logger;
}

/** State that ends with the connection. */
interface Session {
  client: pg.Client;
  /** False while the relay stands by. */
  isActive: boolean;
  /** Acknowledged by the broker and not yet marked. */
  sent: StoredEvent[];
  /** Read and not yet published. */
  next: StoredEvent[];
  /** How many events to read next, judging by the size of the last ones. */
  limit: number;
  /** True if more may wait behind `next`. */
  isMore: boolean;
}

/**
 * Publishes the outbox in order per key and marks what the broker has acknowledged (contract 6.5). One relay of a database is
 * active; another one takes over within a second of its end, since its lock ends with its connection. A crash between publishing
 * and marking publishes again: consumers skip an id that they have processed.
 */
export function startRelay({ databaseUrl, topic, publishers, log }: RelayOptions) {
  relayMetrics.export();
  let session: Session | undefined;
  /** True after the broker has failed this relay: it may answer another one. */
  let givesWay = false;

  async function connect(): Promise<Session> {
    const client = connectionFor(databaseUrl);
    session = { client, isActive: false, sent: [], next: [], limit: maxEvents / laneCount, isMore: false };
    client.on('error', () => running.wake()); // the query that follows fails and says why
    client.on('notification', () => running.wake());
    await client.connect();
    return session;
  }

  async function activate({ client }: Session): Promise<boolean> {
    if (!(await lockOutbox(client))) return false;
    await client.query(`listen ${outboxChannel}`);
    relayMetrics.setActive(true);
    log.info('The relay is active');
    return true;
  }

  /** Resolves once all lanes have ended. What the broker has acknowledged is marked even if it refuses the rest. */
  async function publish(client: pg.Client, lanes: ReturnType<typeof toLanes<Publisher>>): Promise<void> {
    const acknowledged: StoredEvent[] = [];
    const outcomes = await Promise.allSettled(
      lanes.map(async ({ publisher, events }) => {
        await publisher.publish(topic, events);
        acknowledged.push(...events);
        relayMetrics.published.inc(events.length);
      }),
    );
    const failure = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failure === undefined) return;
    givesWay = true;
    await markSent(client, acknowledged).catch(() => undefined);
    throw failure.reason;
  }

  /** Publishes one batch. @returns true if there may be more */
  async function relayBatch(): Promise<boolean> {
    const own = session ?? (await connect());
    own.isActive ||= await activate(own);
    if (!own.isActive) {
      relayMetrics.setOldestUnsent(undefined); // it is known to the active one
      return false;
    }
    if (own.next.length === 0) await read(own, []);
    const lanes = toLanes(own.next, publishers);
    const events = lanes.flatMap((lane) => lane.events);
    if (events.length === 0) return false;
    if (own.isMore || events.length < own.next.length) {
      // While the broker takes a full batch, the previous one is marked and the next one read.
      const both = [publish(own.client, lanes), read(own, events)];
      await Promise.allSettled(both); // a failure ends neither
      await Promise.all(both);
      own.sent = events;
    } else {
      await publish(own.client, lanes);
      own.sent.push(...events);
      own.next = [];
      await sleep(Math.min(gatherMsPerEvent * events.length, longestGatherMs));
    }
    return true;
  }

  async function disconnect(): Promise<void> {
    const client = session?.client;
    session = undefined;
    relayMetrics.setActive(false);
    if (client) await within(disconnectTimeoutMs, client.end()).catch(() => undefined);
  }

  async function round(): Promise<boolean> {
    try {
      return await relayBatch();
    } catch (error) {
      await disconnect();
      if (givesWay) await sleep(stepAsideMs);
      givesWay = false;
      throw error;
    }
  }
  function failed(error: unknown, failures: number): void {
    log.warn({ err: error, failures }, 'The relay was interrupted and is retried');
  }
  const running = loop({ name: 'relay', everyMs: pollEveryMs, retry: retryPauses, failed }, round).start(log);

  async function leave(): Promise<void> {
    await running.stop();
    if (session) await markSent(session.client, session.sent);
  }
  return {
    /** Makes the relay look at the outbox. @returns false unless it is active: another one may be */
    wake(): boolean {
      if (!session?.isActive) return false;
      running.wake();
      return true;
    },
    /** Finishes the batch in flight, if broker and database answer soon enough. */
    async stop(): Promise<void> {
      await within(
        stopTimeoutMs,
        leave()
          .catch((error) => failed(error, 1))
          .then(disconnect),
      );
    },
  };
}

/** Marks what was sent, and reads what follows the events in flight: as many as should fill a batch, judging by the last ones. */
async function read(own: Session, inFlight: StoredEvent[]): Promise<void> {
  const events = await markAndRead(own.client, own.sent, inFlight, own.limit);
  own.sent = [];
  own.next = events;
  own.isMore = events.length === own.limit;
  relayMetrics.setOldestUnsent((inFlight[0] ?? events[0])?.createdAt);
  const bytes = events.reduce((sum, event) => sum + bytesOf(event), 0);
  if (own.isMore) own.limit = Math.ceil(Math.min(maxEvents, (events.length * batchBytes) / bytes));
}

/**
 * A connection whose time-outs and keep-alives make sure that the relay notices a vanished database, and that PostgreSQL
 * releases the lock of a relay that has vanished or hangs within half a minute: an active one asks every second, and while it
 * publishes for as long as a broker may take to answer.
 */
function connectionFor(databaseUrl: string): pg.Client {
  return createClient({
    connectionString: databaseUrl,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    keepAlive: true,
    application_name: 'outbox-relay',
    options: `-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3 -c idle_session_timeout=${hungAfterMs}`,
  });
}
