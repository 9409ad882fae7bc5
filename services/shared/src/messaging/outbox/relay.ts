import type pg from 'pg';
import { createClient } from '../../database/connection.ts';
import type { Logger } from '../../observability/log.ts';
import { backoff, sleep, within } from '../../values/time.ts';
import type { StoredEvent } from '../events.ts';
import type { Publisher } from '../kafkajs/publisher.ts';
import { outboxChannel } from './append.ts';
import { relayMetrics } from './metrics.ts';
import { createNotifier, type Notifier } from './notifier.ts';
import { createShares, type Shares, shareCount, sharesAreFree } from './shares.ts';
import { type Batch, deleteBatchSize, deleteSent, markAndRead, markSent } from './statements.ts';

/**
 * Before it reads again, the relay waits this long for each event that it has published: at once while there are few, while
 * many gather and are published together.
 */
const gatherMsPerEvent = 5;
const longestGatherMs = 25;
const standbyMs = 1_000;
/** Time for which a relay that the broker has failed leaves the outbox to others: it may answer them. */
const giveWayMs = 30_000;
const longestStopMs = 5_000;
const longestEndMs = 2_000;
/** If a notification is lost, or another relay, events wait no longer than this. */
const pollMs = 1_000;
const deleteEveryMs = 60_000;

export interface RelayOptions {
  databaseUrl: string;
  topic: string;
  publisher: Publisher;
  log: Logger;
}

export interface Relay {
  /** Makes the relay look at the outbox. @returns false unless it holds all shares: {@link wakeRelay} wakes every relay */
  wake(): boolean;
  /** Finishes the batch in flight, if broker and database answer soon enough. */
  stop(): Promise<void>;
}

/**
 * Publishes the outbox in order per key and marks what the broker has acknowledged (contract 6.5). The relays of a database
 * share it by key; others take over within a second of the end of one, since its locks end with its connection. A crash
 * between publishing and marking publishes again: consumers skip an id that they have processed.
 */
export function startRelay(options: RelayOptions): Relay {
  relayMetrics.export();
  const stopping = new AbortController();
  const notifier = createNotifier(stopping.signal);
  const state: State = { shares: undefined };
  const ended = run(options, state, notifier, stopping.signal);
  return {
    wake() {
      if (state.shares?.held() !== shareCount) return false;
      notifier.notify();
      return true;
    },
    async stop() {
      stopping.abort();
      await within(longestStopMs, ended);
    },
  };
}

interface State {
  /** Undefined while the relay is not connected, or stands by. */
  shares: Shares | undefined;
}

async function run(
  { databaseUrl, topic, publisher, log }: RelayOptions,
  state: State,
  notifier: Notifier,
  signal: AbortSignal,
): Promise<void> {
  let failures = 0;
  /** As of performance.now(), like all times here: a clock that is set back must not delay anything. */
  let giveWayUntil = 0;
  async function publish(events: StoredEvent[]): Promise<void> {
    if (events.length === 0) return;
    try {
      await publisher.publish(topic, events);
    } catch (error) {
      giveWayUntil = performance.now() + giveWayMs;
      throw error;
    }
    relayMetrics.published.inc(events.length);
    failures = 0;
  }
  while (!signal.aborted) {
    const client = connectionFor(databaseUrl);
    client.on('error', notifier.notify); // the query that follows fails and says why
    const shares = createShares(client);
    try {
      await client.connect();
      while (!signal.aborted && !(await shares.join(performance.now() < giveWayUntil))) {
        relayMetrics.setOldestUnsent(undefined);
        await sleep(standbyMs, signal);
      }
      state.shares = shares;
      await publishShares({ client, shares, publish, notifier, log, signal });
    } catch (error) {
      failures += 1;
      log.warn({ err: error, failures }, 'The relay was interrupted and is retried');
      await sleep(backoff(failures, { firstMs: 200, maxMs: 2_000 }), signal);
    } finally {
      state.shares = undefined;
      relayMetrics.setHeldShares(0);
      // The end of a connection that a network has forgotten would take as long as TCP's own time-outs.
      await within(longestEndMs, client.end()).catch(() => undefined);
    }
  }
}

interface Connected {
  client: pg.Client;
  shares: Shares;
  publish(events: StoredEvent[]): Promise<void>;
  notifier: Notifier;
  log: Logger;
  signal: AbortSignal;
}

const nothing: Batch = { events: [], isFull: false };

/** Publishes what is written with keys of the shares that it takes, until it is stopped. */
async function publishShares({ client, shares, publish, notifier, log, signal }: Connected): Promise<void> {
  let lookAt = 0;
  let deleteAt = 0;
  let isIdle = false;
  let sent: StoredEvent[] = [];
  let batch = nothing;
  client.on('notification', ({ payload }) => {
    if (payload === sharesAreFree) lookAt = 0;
    notifier.notify();
  });
  await client.query(`listen ${outboxChannel}`);
  while (!signal.aborted) {
    if (performance.now() >= lookAt) {
      lookAt = performance.now() + pollMs;
      const before = shares.held();
      const { relays, surplus, hasUnsent } = await shares.look();
      if (surplus > 0) {
        // Nothing is in flight here. What was only read is read again, by whoever holds its share then.
        await markSent(client, sent);
        [sent, batch] = [[], nothing];
        await shares.giveBack(surplus);
      }
      const held = shares.held();
      relayMetrics.setHeldShares(held);
      if (held !== before && held > 0) log.info({ shares: held, relays }, 'The relay is active');
      if (performance.now() >= deleteAt) {
        const forgotten = await deleteSent(client);
        if (forgotten < deleteBatchSize) deleteAt = performance.now() + deleteEveryMs;
      }
      if (hasUnsent) isIdle = false;
    }
    if (isIdle || shares.held() === 0) {
      relayMetrics.setOldestUnsent(undefined);
      isIdle = !(await notifier.notified(lookAt - performance.now()));
      continue;
    }
    let inFlight = batch.events;
    if (!batch.isFull) {
      await publish(inFlight);
      await gather(inFlight.length, signal);
      sent.push(...inFlight);
      inFlight = [];
    }
    // While the broker takes a full batch, the previous one is marked and the next one read.
    const [next] = await both(markAndRead(client, sent, inFlight, shares.others()), publish(inFlight));
    relayMetrics.setOldestUnsent(next.events[0]?.createdAt);
    isIdle = batch.events.length === 0 && next.events.length === 0;
    [sent, batch] = [inFlight, next];
  }
  await markSent(client, sent);
  await shares.leave();
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
async function gather(published: number, signal: AbortSignal): Promise<void> {
  const ms = Math.min(gatherMsPerEvent * published, longestGatherMs);
  if (ms > 0) await sleep(ms, signal);
}

/** Resolves or rejects once both have settled. */
async function both<A, B>(a: Promise<A>, b: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([a, b]);
  return Promise.all([a, b]);
}
