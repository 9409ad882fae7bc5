import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from '../../observability/log.ts';
import type { StoredEvent } from '../events.ts';
import type { Publisher } from '../kafka.ts';
import { outboxChannel } from './append.ts';
import { relayMetrics } from './metrics.ts';

/** Any constant. The relay of a database that holds this advisory lock is the active one. */
const relayLock = 7_310_002;
const batchSize = 1_000;
/** Even if all events of a batch go to one partition, they fit into the largest batch that a broker accepts (1 MiB by default). */
const batchBytes = 512 * 1024;
const headerBytes = 512;
/**
 * Before it reads again, the relay waits this long for each event that it has published: at once while there are few, while
 * many gather and are published together.
 */
const gatherMsPerEvent = 5;
const longestGatherMs = 25;
const fewIds = 50;
const standbyMs = 1_000;
const longestStopMs = 5_000;
const longestEndMs = 2_000;
/** If a notification is lost, events wait no longer than this. */
const pollMs = 1_000;
const keepSentDays = 7;
const deleteEveryMs = 60_000;
/** Small enough for deleting never to delay an event noticeably. */
const deleteBatchSize = 5_000;

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

interface Batch {
  events: StoredEvent[];
  /** Whether more may wait behind it. */
  isFull: boolean;
}

/**
 * Publishes the outbox in order and marks what the broker has acknowledged (contract 6.5). Of several relays on one
 * database one is active; another takes over within a second of its end, since the lock ends with its connection. A
 * crash between publishing and marking publishes again: consumers skip an id that they have processed.
 */
export function startRelay(options: RelayOptions): Relay {
  relayMetrics.export();
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
      relayMetrics.isActive.set(1);
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
        relayMetrics.published.inc(batch.events.length);
        relayMetrics.setOldestUnsent(next.events[0]?.createdAt);
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
      relayMetrics.isActive.set(0);
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
    relayMetrics.setOldestUnsent(undefined);
    await wait(standbyMs, undefined, { signal }).catch(() => undefined);
  }
  return false;
}

const ids = (events: StoredEvent[]) => events.map(({ id }) => id);

/** Lets further events gather: not at all after few, so that the first is published at once. */
async function gather(published: number, signal: AbortSignal): Promise<void> {
  const ms = Math.min(gatherMsPerEvent * published, longestGatherMs);
  if (ms > 0) await wait(ms, undefined, { signal }).catch(() => undefined);
}

const marking = 'update outbox set sent_at = now() where id = any($1::uuid[])';

async function markSent(client: pg.Client, sent: StoredEvent[]): Promise<void> {
  if (sent.length > 0) await client.query(marking, [ids(sent)]);
}

/** Marks what was sent and returns the events after those in flight. */
async function markAndRead(client: pg.Client, sent: StoredEvent[], inFlight: StoredEvent[]): Promise<Batch> {
  const { rows } = await client.query<StoredEvent>({
    // Both see the table as it was before: the rows that are marked are unsent for the other.
    text: `with marked as (${marking})
     select id, kind, key, payload, traceparent, created_at as "createdAt"
     from outbox where sent_at is null and id <> all($1::uuid[] || $2::uuid[]) order by seq limit ${batchSize}`,
    values: [ids(sent), ids(inFlight)],
    // PostgreSQL compares with many ids faster where it plans for just these.
    ...(sent.length + inFlight.length < fewIds && { name: 'mark-and-read' }),
  });
  let bytes = 0;
  const tooMuch = rows.findIndex(({ payload }) => {
    bytes += Buffer.byteLength(payload) + headerBytes;
    return bytes > batchBytes;
  });
  if (tooMuch === -1) return { events: rows, isFull: rows.length === batchSize };
  return { events: rows.slice(0, Math.max(tooMuch, 1)), isFull: true };
}

/** Resolves or rejects once both have settled. */
async function both<A, B>(a: Promise<A>, b: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([a, b]);
  return Promise.all([a, b]);
}

async function deleteSent(client: pg.Client): Promise<number> {
  const { rowCount } = await client.query(
    `delete from outbox where id in (
       select id from outbox where sent_at < now() - interval '${keepSentDays} days' limit ${deleteBatchSize})`,
  );
  return rowCount ?? 0;
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
