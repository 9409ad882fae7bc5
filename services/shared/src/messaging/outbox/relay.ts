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

/** Publishers of a relay: a broker answers the requests of a connection in turn, each after all replicas have the events. */
export const laneCount = 8;
/** Enough to fill the lanes, but bounded for the sake of memory. */
const maxEvents = 5_000;
const batchBytes = laneCount * 512 * 1024;
/** Pause per published event: after few events the relay reads again almost at once; after many it lets more gather. */
const gatherMsPerEvent = 5;
const longestGatherMs = 25;
/** How often the relay polls, since a notification or the active relay may be lost. */
export const pollEveryMs = 1_000;
/** Pauses after consecutive failures. */
const retryPauses = { firstMs: 100, maxMs: 2_000 };
/** A relay that the broker fails pauses this long: long enough for a standby to poll and take the lock. */
export const stepAsideMs = 2_000;
/** PostgreSQL closes the connection of an active relay that sends no statement for this long, because it has hung. */
export const hungAfterMs = 30_000;
const connectTimeoutMs = 2_000;
const statementTimeoutMs = 10_000;
/** Without it, closing a connection that the network has dropped would take as long as TCP's time-outs. */
const disconnectTimeoutMs = 2_000;
const stopTimeoutMs = 4_000;

interface RelayOptions {
  databaseUrl: string;
  topic: string;
  /** Each has its own connections. The first is always used, the others as the load grows. */
  publishers: readonly Publisher[];
  log: Logger;
}

/** State that ends with the connection. */
interface Session {
  client: pg.Client;
  /** False while the relay stands by. */
  isActive: boolean;
  /** Acknowledged by the broker but not yet marked. */
  sent: StoredEvent[];
  /** Read but not yet published. */
  next: StoredEvent[];
  /** How many events to read next, estimated from the size of the last events. */
  limit: number;
  /** True if more may wait after `next`. */
  isMore: boolean;
}

/**
 * Publishes the outbox in order per key, and marks events that the broker has acknowledged (contract 6.5). One relay of a database
 * is active. Another takes over within a second of its end, since its lock ends with its connection. After a crash between publishing
 * and marking, events are published again: consumers skip an id that they have processed.
 */
export function startRelay({ databaseUrl, topic, publishers, log }: RelayOptions) {
  relayMetrics.export();
  let session: Session | undefined;
  /** True after the broker has failed this relay: it may answer another relay. */
  let shouldStepAside = false;

  async function connect(): Promise<Session> {
    const client = connectionFor(databaseUrl);
    session = { client, isActive: false, sent: [], next: [], limit: maxEvents / laneCount, isMore: false };
    client.on('error', () => running.wake()); // the next query fails with the reason
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

  /** Resolves once all lanes have ended. Events that the broker has acknowledged are marked even if it refuses others. */
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
    shouldStepAside = true;
    await markSent(client, acknowledged).catch(() => undefined);
    throw failure.reason;
  }

  /** Publishes one batch. @returns true if there may be more */
  async function relayBatch(): Promise<boolean> {
    const own = session ?? (await connect());
    own.isActive ||= await activate(own);
    if (!own.isActive) {
      relayMetrics.setOldestUnsent(undefined); // the active relay reports it
      return false;
    }
    if (own.next.length === 0) await read(own, []);
    const lanes = toLanes(own.next, publishers);
    const events = lanes.flatMap((lane) => lane.events);
    if (events.length === 0) return false;
    if (own.isMore || events.length < own.next.length) {
      // While the broker receives a full batch, the previous batch is marked and the next is read.
      const both = [publish(own.client, lanes), read(own, events)];
      await Promise.allSettled(both); // lets both end, even if one fails
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
      if (shouldStepAside) await sleep(stepAsideMs);
      shouldStepAside = false;
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
    /** Makes the relay read the outbox. @returns false if it is not active: another relay may be */
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

/** Marks sent events, and reads events after those in flight: as many as should fill a batch, estimated from the last read. */
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
 * Makes a connection with time-outs and keep-alives, so that the relay notices a lost database, and PostgreSQL releases the lock of
 * a lost or hung relay within half a minute. An active relay sends a statement every second or, while it publishes, after at most the
 * time that a broker may take to answer.
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
