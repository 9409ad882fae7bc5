import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { Counter, Gauge } from 'prom-client';
import type { Logger } from '../../observability/log.ts';
import type { StoredEvent } from '../events.ts';
import type { Publisher } from '../kafka.ts';
import { outboxChannel } from './append.ts';
import { type Batch, deleteBatchSize, deleteSent, markAndRead, markSent } from './statements.ts';

/** Any constant. The relay of a database that holds this advisory lock is the active one. */
const relayLock = 7_310_002;
/**
 * Before it reads again, the relay waits this long for each event that it has published: at once while there are few, while
 * many gather and are published together.
 */
const gatherMsPerEvent = 5;
const longestGatherMs = 25;
const standbyMs = 1_000;
const longestStopMs = 5_000;
const longestEndMs = 2_000;
/** If a notification is lost, events wait no longer than this. */
const pollMs = 1_000;
const deleteEveryMs = 60_000;

const published = new Counter({ name: 'outbox_published_total', help: 'Events that the broker has acknowledged.' });
const isActive = new Gauge({ name: 'outbox_relay_active', help: '1 while this process holds the relay lock.' });

/** When the oldest event was written that the active relay has read and not yet published. */
let oldestUnsent: Date | undefined;
new Gauge({
  name: 'outbox_oldest_unsent_seconds',
  help: 'How long the oldest event has waited to be published; 0 if none waits or another relay is active.',
  // At the time of the scrape, not of the relay's last read: the relay may be stuck.
  collect() {
    this.set(oldestUnsent === undefined ? 0 : Math.max(0, (Date.now() - oldestUnsent.getTime()) / 1000));
  },
});

export interface RelayOptions {
  databaseUrl: string;
  topic: string;
  publisher: Publisher;
  log: Logger;
}

export interface Relay {
  /** Makes the relay look at the outbox. @returns false if another one is active: it is woken by {@link wakeRelay} */
  wake(): boolean;
  /** Finishes the batch in flight, if broker and database answer soon enough. */
  stop(): Promise<void>;
}

/**
 * Publishes the outbox in order and marks what the broker has acknowledged (contract 6.5). Of several relays on one
 * database one is active; another takes over within a second of its end, since the lock ends with its connection. A
 * crash between publishing and marking publishes again: consumers skip an id that they have processed.
 */
export function startRelay(options: RelayOptions): Relay {
  const stopping = new AbortController();
  const notifier = createNotifier(stopping.signal);
  const state = { isActive: false };
  const ended = run(options, state, notifier, stopping.signal);
  return {
    wake() {
      if (state.isActive) notifier.notify();
      return state.isActive;
    },
    async stop() {
      stopping.abort();
      await Promise.race([ended, wait(longestStopMs, undefined, { ref: false })]);
    },
  };
}

async function run(
  { databaseUrl, topic, publisher, log }: RelayOptions,
  state: { isActive: boolean },
  notifier: Notifier,
  signal: AbortSignal,
): Promise<void> {
  const publish = async (batch: StoredEvent[]) => {
    if (batch.length > 0) await publisher.publish(topic, batch);
  };
  for (let failures = 0; !signal.aborted; ) {
    const client = createClient(databaseUrl);
    client.on('error', notifier.notify); // the query that follows fails and says why
    client.on('notification', notifier.notify);
    try {
      await client.connect();
      if (!(await acquireLock(client, signal))) continue;
      state.isActive = true;
      isActive.set(1);
      log.info('The relay is active');
      await client.query(`listen ${outboxChannel}`);
      let deleteAt = 0;
      let sent: StoredEvent[] = [];
      let batch: Batch = { events: [], isFull: false };
      while (!signal.aborted) {
        let inFlight = batch.events;
        if (!batch.isFull) {
          await publish(inFlight);
          await gather(inFlight.length, signal);
          sent.push(...inFlight);
          inFlight = [];
        }
        // While the broker takes a full batch, the previous one is marked and the next one read.
        const [next] = await both(markAndRead(client, sent, inFlight), publish(inFlight));
        published.inc(batch.events.length);
        oldestUnsent = next.events[0]?.createdAt;
        if (batch.events.length > 0) failures = 0;
        if (Date.now() >= deleteAt) {
          const forgotten = await deleteSent(client);
          if (forgotten < deleteBatchSize) deleteAt = Date.now() + deleteEveryMs;
        }
        if (batch.events.length === 0 && next.events.length === 0) await notifier.notified(pollMs);
        [sent, batch] = [inFlight, next];
      }
      await markSent(client, sent);
    } catch (error) {
      failures += 1;
      log.warn({ err: error, failures }, 'The relay was interrupted and is retried');
      await wait(Math.min(100 * 2 ** failures, 2_000), undefined, { signal }).catch(() => undefined);
    } finally {
      state.isActive = false;
      isActive.set(0);
      // The end of a connection that a network has forgotten would take as long as TCP's own time-outs.
      await Promise.race([client.end(), wait(longestEndMs)]).catch(() => undefined);
    }
  }
}

/**
 * Time-outs and keep-alives make sure that the relay notices a vanished database, and that PostgreSQL releases the lock
 * of a vanished relay within half a minute.
 */
function createClient(databaseUrl: string): pg.Client {
  return new pg.Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: 2_000,
    statement_timeout: 10_000,
    query_timeout: 12_000,
    keepAlive: true,
    application_name: 'outbox-relay',
    options: '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3',
  });
}

/** Waits for the relay lock. @returns false when stopping */
async function acquireLock(client: pg.Client, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    const { rows } = await client.query<{ held: boolean }>('select pg_try_advisory_lock($1) as held', [relayLock]);
    if (rows[0]?.held) return true;
    oldestUnsent = undefined;
    await wait(standbyMs, undefined, { signal }).catch(() => undefined);
  }
  return false;
}

/** Lets further events gather: not at all after few, so that the first is published at once. */
async function gather(published: number, signal: AbortSignal): Promise<void> {
  const ms = Math.min(gatherMsPerEvent * published, longestGatherMs);
  if (ms > 0) await wait(ms, undefined, { signal }).catch(() => undefined);
}

/** Resolves or rejects once both have settled. */
async function both<A, B>(a: Promise<A>, b: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([a, b]);
  return Promise.all([a, b]);
}

type Notifier = ReturnType<typeof createNotifier>;

/** Remembers a notification that arrives while nobody waits, so that no event is left until the next poll. */
function createNotifier(signal: AbortSignal) {
  let isNotified = false;
  let wake = () => {};
  const notify = () => {
    isNotified = true;
    wake();
  };
  signal.addEventListener('abort', notify);
  return {
    notify,
    async notified(timeoutMs: number): Promise<void> {
      if (!isNotified) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, timeoutMs);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      isNotified = false;
    },
  };
}
