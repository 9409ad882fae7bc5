import { setTimeout as wait } from 'node:timers/promises';
import type { Batch, EachBatchPayload, Kafka, KafkaMessage } from 'kafkajs';
import { consumerMetrics } from './consumer-metrics.ts';
import { isDatabaseAway } from './database.ts';
import { deadLetterHeaders, deadLetterTopic, type Origin } from './dead-letters.ts';
import { DomainError } from './errors.ts';
import { type EventKind, type Message, type OrderEvent, PoisonError, readEvent } from './events.ts';
import type { Sender } from './kafka.ts';
import type { Logger } from './log.ts';
import { runInTrace, traceFrom } from './trace.ts';

/** What a handler's transaction offers to this file; Prisma's transaction client does. */
export interface EffectTransaction {
  $queryRawUnsafe<T>(sql: string, ...values: unknown[]): Promise<T>;
}

/**
 * Changes the service's own database, inside the transaction that also remembers the event's id.
 * `prepared` is what `prepare` gave for this event.
 */
export type Handlers<Tx, Prepared = void> = {
  [K in EventKind]?: (event: OrderEvent<K>, tx: Tx, prepared: Prepared) => Promise<void>;
};

export interface EffectOptions<Tx extends EffectTransaction, Prepared = void> {
  /** spec: Events, rule 2: a group has its own offsets, and here its own memory of event ids. */
  group: string;
  handlers: Handlers<Tx, Prepared>;
  /**
   * What has to be asked of others before the transaction; throws PoisonError, or unavailable to wait. It is done again
   * for an event that comes again, even for one that was handled before.
   */
  prepare?(event: OrderEvent): Promise<Prepared>;
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
}

export interface ConsumerOptions<Tx extends EffectTransaction, Prepared = void> extends EffectOptions<Tx, Prepared> {
  kafka: Kafka;
  topic: string;
  /** For dead letters. */
  sender: Sender;
  log: Logger;
  retry: RetryOptions;
  /**
   * How many messages may share a transaction. More are faster; 1 where handlers of different orders lock the same
   * rows, which in any other order would deadlock.
   */
  chunkSize: number;
  /** The client has given up for good: the process had better end and be started anew. */
  onCrash(error: Error): void;
}

/** spec: Limits, retry attempts */
export interface RetryOptions {
  attempts: number;
  firstDelayMs: number;
  multiplier: number;
}

export interface Consumer {
  /** Ends after the messages under way, leaves the group. */
  stop(): Promise<void>;
}

const sessionTimeoutMs = 30_000;
const heartbeatMs = 3_000;
const longestWaitMs = 5_000;
/** Partitions that are worked on side by side; each in order (spec: Topic, ordering). */
const partitionsAtOnce = 6;

/**
 * Consumes order events: pending, processing, retry, committed, dead letter (spec: Event handling by a consumer).
 * Effects happen once, for the event's id is stored in the transaction of the effect; offsets are committed after it.
 * Messages that come together share one transaction; where that fails, each is handled alone. A database, a broker or
 * a service that is away is no failure of a message: the partition waits.
 */
export function startConsumer<Tx extends EffectTransaction, Prepared = void>(
  options: ConsumerOptions<Tx, Prepared>,
): Consumer {
  const { kafka, group, topic, log, onCrash } = options;
  const stopping = new AbortController();
  const consumer = kafka.consumer({
    groupId: group,
    sessionTimeout: sessionTimeoutMs,
    rebalanceTimeout: 60_000,
    heartbeatInterval: heartbeatMs,
    maxWaitTimeInMs: 500,
    allowAutoTopicCreation: false,
    retry: { restartOnFailure: async () => !stopping.signal.aborted },
  });
  consumer.on(consumer.events.CRASH, ({ payload }) => {
    if (!payload.restart && !stopping.signal.aborted) onCrash(payload.error);
  });
  const worker = createWorker(options, stopping.signal);

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await consumer.connect();
        await consumer.subscribe({ topic, fromBeginning: true });
        await consumer.run({
          autoCommit: false,
          eachBatchAutoResolve: false,
          partitionsConsumedConcurrently: partitionsAtOnce,
          eachBatch: (payload) =>
            worker(payload, (offset) =>
              consumer.commitOffsets([{ topic, partition: payload.batch.partition, offset }]),
            ),
        });
        return;
      } catch (error) {
        log.warn({ err: error }, 'The broker is not available, the consumer waits');
        await pause(2_000, stopping.signal);
      }
    }
  }
  const running = run();

  return {
    async stop() {
      stopping.abort();
      await running;
      await consumer.disconnect();
    },
  };
}

type Commit = (nextOffset: string) => Promise<void>;

function createWorker<Tx extends EffectTransaction, Prepared>(
  options: ConsumerOptions<Tx, Prepared>,
  stopping: AbortSignal,
) {
  const { group, chunkSize } = options;

  return async function eachBatch(payload: EachBatchPayload, commit: Commit): Promise<void> {
    const { batch, resolveOffset, isRunning, isStale } = payload;
    const lost = new AbortController();
    let failure: unknown;
    // Heartbeats go on however long a handler takes. One that fails means that the partition may be somebody else's.
    const beat = setInterval(() => {
      payload.heartbeat().catch((error) => {
        failure = error;
        lost.abort();
      });
    }, heartbeatMs);
    const signal = AbortSignal.any([stopping, lost.signal]);
    try {
      for (let from = 0; from < batch.messages.length; from += chunkSize) {
        if (signal.aborted || !isRunning() || isStale()) break;
        const messages = batch.messages.slice(from, from + chunkSize);
        const last = messages.at(-1)?.offset ?? batch.firstOffset() ?? '0';
        const end = consumerMetrics.seconds.startTimer({ group });
        const isDone = await handleChunk(options, batch, messages, signal);
        if (!isDone) break;
        await commit(String(BigInt(last) + 1n));
        resolveOffset(last);
        end();
        const partition = String(batch.partition);
        consumerMetrics.lag.set({ group, partition }, Number(BigInt(batch.highWatermark) - BigInt(last) - 1n));
      }
    } finally {
      clearInterval(beat);
    }
    if (failure !== undefined) throw failure;
  };
}

/** @returns false when it was given up before the end, to be done again by whoever has the partition then */
async function handleChunk<Tx extends EffectTransaction, Prepared>(
  options: ConsumerOptions<Tx, Prepared>,
  batch: Batch,
  messages: KafkaMessage[],
  signal: AbortSignal,
): Promise<boolean> {
  const { group, handlers, log } = options;
  const wanted = new Set(Object.keys(handlers));
  const events: { message: KafkaMessage; event: OrderEvent }[] = [];
  for (const message of messages) {
    try {
      const event = readEvent(toMessage(message), wanted);
      if (event === undefined) consumerMetrics.handled.inc({ group, result: 'skipped' });
      else events.push({ message, event });
    } catch (error) {
      if (!(await bury(options, batch, message, 1, error, signal))) return false;
    }
  }
  if (events.length > 1) {
    try {
      await applyEvents(
        options,
        events.map(({ event }) => event),
      );
      return true;
    } catch (error) {
      log.debug({ err: error, messages: events.length }, 'Messages are handled one by one');
    }
  }
  for (const { message, event } of events) {
    if (!(await handleOne(options, batch, message, event, signal))) return false;
  }
  return true;
}

async function handleOne<Tx extends EffectTransaction, Prepared>(
  options: ConsumerOptions<Tx, Prepared>,
  batch: Batch,
  message: KafkaMessage,
  event: OrderEvent,
  signal: AbortSignal,
): Promise<boolean> {
  const { group, retry, log } = options;
  for (let attempt = 1, waits = 0; !signal.aborted; ) {
    try {
      await applyEvents(options, [event]);
      return true;
    } catch (error) {
      const about = { err: error, kind: event.kind, eventId: event.id, attempt };
      if (isAway(error)) {
        log.warn(about, 'What the handler needs is away, the partition waits');
        await pause(Math.min(250 * 2 ** waits++, longestWaitMs), signal);
      } else if (error instanceof PoisonError || attempt >= retry.attempts) {
        return bury(options, batch, message, attempt, error, signal);
      } else {
        log.warn(about, 'The handler failed and tries again');
        consumerMetrics.retries.inc({ group });
        await pause(retry.firstDelayMs * retry.multiplier ** (attempt - 1), signal);
        attempt += 1;
      }
    }
  }
  return false;
}

/** Handles events in one transaction, each once however often it comes. */
export async function applyEvents<Tx extends EffectTransaction, Prepared = void>(
  { group, handlers, prepare, transaction }: EffectOptions<Tx, Prepared>,
  events: OrderEvent[],
): Promise<void> {
  const inTrace = <T>(event: OrderEvent, work: () => Promise<T>) => runInTrace(traceFrom(event.traceparent), work);
  const prepared: { event: OrderEvent; result: Prepared | undefined }[] = [];
  for (const event of events) {
    prepared.push({ event, result: await inTrace(event, async () => prepare?.(event)) });
  }
  let isNew = new Set<string>();
  await transaction(async (tx) => {
    const rows = await tx.$queryRawUnsafe<{ id: string }[]>(
      `insert into processed_events (consumer_group, event_id) select $1, unnest($2::uuid[])
       on conflict do nothing returning event_id::text as id`,
      group,
      events.map(({ id }) => id),
    );
    isNew = new Set(rows.map(({ id }) => id));
    for (const { event, result } of prepared) {
      // Twice in one chunk is once: the set holds an id, and the second is refused below.
      if (!isNew.delete(event.id)) {
        consumerMetrics.handled.inc({ group, result: 'duplicate' });
        continue;
      }
      const handle = handlers[event.kind] as
        | ((event: OrderEvent, tx: Tx, prepared: Prepared | undefined) => Promise<void>)
        | undefined;
      await inTrace(event, async () => handle?.(event, tx, result));
    }
  });
  consumerMetrics.handled.inc({ group, result: 'processed' }, events.length);
}

/** Moves a message to the dead letters, however long that takes: it must not be lost, nor hold up others for ever. */
async function bury<Tx extends EffectTransaction, Prepared>(
  { group, sender, topic, log }: ConsumerOptions<Tx, Prepared>,
  batch: Batch,
  message: KafkaMessage,
  attempts: number,
  error: unknown,
  signal: AbortSignal,
): Promise<boolean> {
  const origin: Origin = { topic, partition: batch.partition, offset: message.offset };
  const { key, value, headers } = toMessage(message);
  const letter = { key, value, headers: { ...headers, ...deadLetterHeaders(group, attempts, error, origin) } };
  while (!signal.aborted) {
    try {
      await sender.send(deadLetterTopic, [letter]);
      consumerMetrics.handled.inc({ group, result: 'dead' });
      log.error({ err: error, ...origin, attempts }, 'A message was moved to the dead letters');
      return true;
    } catch (failure) {
      log.warn({ err: failure, ...origin }, 'A dead letter cannot be written, the partition waits');
      await pause(1_000, signal);
    }
  }
  return false;
}

const isAway = (error: unknown) =>
  isDatabaseAway(error) || (error instanceof DomainError && error.kind === 'unavailable');

const pause = (ms: number, signal: AbortSignal) => wait(ms, undefined, { signal }).catch(() => undefined);

function toMessage({ key, value, headers }: KafkaMessage): Message {
  const texts = Object.entries(headers ?? {}).map(([name, text]) => [name, text?.toString()]);
  return { key: key?.toString(), value: value?.toString(), headers: Object.fromEntries(texts) };
}
