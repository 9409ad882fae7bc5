import type pg from 'pg';
import { createClient } from '../../database/connection.ts';
import type { Logger } from '../../observability/log.ts';
import { loop } from '../../values/loop.ts';
import { sleep, within } from '../../values/time.ts';
import type { StoredEvent } from '../events.ts';
import type { Publisher } from '../kafkajs/publisher.ts';
import { outboxChannel } from './append.ts';
import { relayMetrics } from './metrics.ts';
import { createShares, type Shares, shareCount, sharesAreFree } from './shares.ts';
import { type Batch, deleteBatchSize, deleteSent, markAndRead, markSent } from './statements.ts';

/**
 * Before it reads again, the relay waits this long for each event that it has published: at once while there are few, while
 * many gather and are published together.
 */
const gatherMsPerEvent = 5;
const longestGatherMs = 25;
/** Time for which a relay that the broker has failed leaves the outbox to others: it may answer them. */
const giveWayMs = 30_000;
const longestStopMs = 5_000;
const longestEndMs = 2_000;
/** If a notification is lost, or another relay, events wait no longer than this. */
const everyMs = 1_000;
const retry = { firstMs: 200, maxMs: 2_000 };
const deleteEveryMs = 60_000;

export interface RelayOptions {
  databaseUrl: string;
  topic: string;
  publisher: Publisher;
  log: Logger;
}

export interface Relay {
  /** Makes the relay look at the outbox. @returns false unless it holds all shares: others have to be notified, too */
  wake(): boolean;
  /** Finishes the batch in flight, if broker and database answer soon enough. */
  stop(): Promise<void>;
}

/** State that ends with the connection; its times are of performance.now(), which nobody sets back. */
interface Session {
  client: pg.Client;
  shares: Shares;
  /** False while the relay stands by. */
  isJoined: boolean;
  lookAt: number;
  deleteAt: number;
  /** Acknowledged by the broker and not yet marked. */
  sent: StoredEvent[];
  /** Read and not yet published. */
  batch: Batch;
}

const nothing: Batch = { events: [], isFull: false };

/**
 * Publishes the outbox in order per key and marks what the broker has acknowledged (contract 6.5). The relays of a database
 * share it by key; others take over within a second of the end of one, since its locks end with its connection. A crash
 * between publishing and marking publishes again: consumers skip an id that they have processed.
 */
export function startRelay({ databaseUrl, topic, publisher, log }: RelayOptions): Relay {
  relayMetrics.export();
  let session: Session | undefined;
  let giveWayUntil = 0;

  async function publish(events: StoredEvent[]): Promise<void> {
    try {
      await publisher.publish(topic, events);
    } catch (error) {
      giveWayUntil = performance.now() + giveWayMs;
      throw error;
    }
    relayMetrics.published.inc(events.length);
  }

  async function connect(): Promise<Session> {
    const client = connectionFor(databaseUrl);
    const opened: Session = {
      client,
      shares: createShares(client),
      isJoined: false,
      lookAt: 0,
      deleteAt: 0,
      sent: [],
      batch: nothing,
    };
    session = opened;
    client.on('error', () => running.wake()); // the query that follows fails and says why
    client.on('notification', ({ payload }) => {
      if (payload === sharesAreFree) opened.lookAt = 0;
      running.wake();
    });
    await client.connect();
    return opened;
  }

  async function join(own: Session): Promise<void> {
    own.isJoined = await own.shares.join(performance.now() < giveWayUntil);
    if (own.isJoined) await own.client.query(`listen ${outboxChannel}`);
  }

  /** One batch, of the shares that this relay holds. @returns true if there may be more */
  async function relayBatch(): Promise<boolean> {
    const own = session ?? (await connect());
    if (!own.isJoined) await join(own);
    const isTimeToLook = own.isJoined && performance.now() >= own.lookAt;
    const hasUnsent = isTimeToLook ? await look(own, log) : true;
    const isInHand = own.sent.length > 0 || own.batch.events.length > 0;
    if (own.shares.held() === 0 || !(hasUnsent || isInHand)) {
      relayMetrics.setOldestUnsent(undefined);
      return false;
    }
    if (own.batch.events.length === 0) {
      own.batch = await read(own, []);
      own.sent = [];
    }
    const { events, isFull } = own.batch;
    if (events.length === 0) return false;
    if (isFull) {
      // While the broker takes a full batch, the previous one is marked and the next one read.
      const [next] = await both(read(own, events), publish(events));
      own.batch = next;
    } else {
      await publish(events);
      await gather(events.length);
      own.batch = nothing;
    }
    own.sent = isFull ? events : [...own.sent, ...events];
    return true;
  }

  async function disconnect(): Promise<void> {
    const client = session?.client;
    session = undefined;
    relayMetrics.setHeldShares(0);
    // The end of a connection that a network has forgotten would take as long as TCP's own time-outs.
    if (client) await within(longestEndMs, client.end()).catch(() => undefined);
  }

  async function round(): Promise<boolean> {
    try {
      return await relayBatch();
    } catch (error) {
      await disconnect();
      throw error;
    }
  }
  function failed(error: unknown, failures: number): void {
    log.warn({ err: error, failures }, 'The relay was interrupted and is retried');
  }
  const running = loop({ name: 'relay', everyMs, retry, failed }, round).start(log);

  async function leave(): Promise<void> {
    await running.stop();
    if (session?.isJoined) {
      await markSent(session.client, session.sent);
      await session.shares.leave();
    }
  }
  return {
    wake() {
      if (session?.shares.held() !== shareCount) return false;
      running.wake();
      return true;
    },
    async stop() {
      await within(
        longestStopMs,
        leave()
          .catch((error) => failed(error, 1))
          .then(disconnect),
      );
    },
  };
}

/** Takes free shares or gives back surplus ones, and deletes what is old. @returns true if any event waits */
async function look(own: Session, log: Logger): Promise<boolean> {
  const { client, shares } = own;
  own.lookAt = performance.now() + everyMs;
  const before = shares.held();
  const { relays, surplus, hasUnsent } = await shares.look();
  if (surplus > 0) {
    // Nothing is in flight here. What was only read is read again, by whoever holds its share then.
    await markSent(client, own.sent);
    [own.sent, own.batch] = [[], nothing];
    await shares.giveBack(surplus);
  }
  const held = shares.held();
  relayMetrics.setHeldShares(held);
  if (held !== before && held > 0) log.info({ shares: held, relays }, 'The relay is active');
  if (performance.now() >= own.deleteAt) {
    const forgotten = await deleteSent(client);
    if (forgotten < deleteBatchSize) own.deleteAt = performance.now() + deleteEveryMs;
  }
  return hasUnsent;
}

/** Marks what was sent, and reads what follows the events in flight. */
async function read({ client, sent, shares }: Session, inFlight: StoredEvent[]): Promise<Batch> {
  const batch = await markAndRead(client, sent, inFlight, shares.others());
  relayMetrics.setOldestUnsent(batch.events[0]?.createdAt);
  return batch;
}

/**
 * Time-outs and keep-alives make sure that the relay notices a vanished database, and that PostgreSQL releases the lock
 * of a vanished relay within half a minute.
 */
function connectionFor(databaseUrl: string): pg.Client {
  return createClient({
    connectionString: databaseUrl,
    connectionTimeoutMillis: 2_000,
    statement_timeout: 10_000,
    query_timeout: 12_000,
    keepAlive: true,
    application_name: 'outbox-relay',
    options: '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3',
  });
}

/** Lets further events gather: not at all after few, so that the first is published at once. */
async function gather(published: number): Promise<void> {
  await sleep(Math.min(gatherMsPerEvent * published, longestGatherMs));
}

/** Resolves or rejects once both have settled. */
async function both<A, B>(a: Promise<A>, b: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([a, b]);
  return Promise.all([a, b]);
}
