import type { KafkaMessage } from 'kafkajs';
import type { Database } from '../../database/database.ts';
import type { Logger } from '../../observability/log.ts';
import { runInTrace, traceFrom } from '../../observability/trace-context.ts';
import { backoff, sleep, within } from '../../values/time.ts';
import type { retriesFrom } from '../config.ts';
import { writeDeadLetter } from '../dead-letters/write.ts';
import { PoisonError, readEvent, type StoreEvent } from '../events.ts';
import { type Batch, type Consumer, type GroupOptions, joinGroup } from '../kafkajs/consumer.ts';
import { readMessage } from '../kafkajs/messages.ts';
import type { Place } from '../kafkajs/offsets.ts';
import type { Sender } from '../kafkajs/publisher.ts';
import { briefMs, retryPauses } from '../times.ts';
import { type ConsumerGroup, handleOnce, isUnavailable, kindsOf, type Refused, topicsOf } from './handle-once.ts';
import { consumerMetrics, initialiseMetrics } from './metrics.ts';

export interface ConsumerOptions<Client> extends Omit<GroupOptions, 'groupId' | 'topics' | 'maxWaitMs' | 'handle'> {
  group: ConsumerGroup<Client>;
  database: Database<Client>;
  /** Default: those that have its kinds. */
  topics?: string[];
  /** For dead letters. */
  sender: Sender;
  /** contract 6.6 */
  retry: ReturnType<typeof retriesFrom>;
}

/** A message with neither event nor poison is of a kind that this group does not handle. */
interface ReadMessage {
  message: KafkaMessage;
  event?: StoreEvent | undefined;
  poison?: unknown;
}

/**
 * Consumes events (contract 6.6): the messages of a partition in order, in chunks that partitions share, and one by one where a
 * chunk fails. Each event is processed once, since its id is recorded in the transaction of its handler; offsets are committed
 * afterwards. An unavailable database, broker or service is no failure of the message: the partition waits.
 */
export function startConsumer<Client>(options: ConsumerOptions<Client>): Consumer {
  const { group, database, sender, retry, log } = options;
  const kinds = kindsOf(group);
  const handle = (events: StoreEvent[]) => handleOnce(group, database, events);
  const handleTogether = createSharedChunks({ chunkSize: group.chunkSize, process: handle }, log);

  function read({ topic, partition }: Place, message: KafkaMessage): ReadMessage {
    try {
      return { message, event: readEvent(readMessage(topic, partition, message), kinds) };
    } catch (poison) {
      return { message, poison };
    }
  }

  /** Returns early if the partition is lost: whoever is assigned it handles the rest. */
  async function handleBatch(batch: Batch): Promise<void> {
    const { messages, signal, done } = batch;
    for (let from = 0; from < messages.length && !signal.aborted; from += group.chunkSize) {
      const end = consumerMetrics.seconds.startTimer({ group: group.name });
      const chunk = messages.slice(from, from + group.chunkSize).map((message) => read(batch, message));
      const events = chunk.flatMap(({ event }) => event ?? []);
      const refused = events.length > 0 ? await handleTogether(events, signal) : undefined;
      let skipped = 0;
      for (const { message, event, poison } of chunk) {
        const fault = poison ?? (event && refused?.get(event));
        if (fault !== undefined) {
          if (!(await inTraceOf(message, () => moveAway(batch, message, 1, fault)))) return;
        } else if (event === undefined) {
          skipped += 1;
        } else if (refused === undefined) {
          if (!(await inTraceOf(message, () => handleAlone(batch, message, event)))) return;
          done(message.offset);
        }
      }
      consumerMetrics.handled.inc({ group: group.name, result: 'skipped' }, skipped);
      const last = chunk.at(-1);
      if (last !== undefined) done(last.message.offset);
      end();
    }
  }

  /** Handles one event: its attempts, pauses and, in the end, its dead letter. */
  async function handleAlone(batch: Batch, message: KafkaMessage, event: StoreEvent): Promise<boolean> {
    const { signal } = batch;
    for (let attempt = 1, outages = 0; !signal.aborted; ) {
      try {
        const reason = (await handle([event])).get(event);
        return reason === undefined || moveAway(batch, message, attempt, reason);
      } catch (error) {
        const fields = { err: error, kind: event.kind, eventId: event.id, attempt };
        if (isUnavailable(error)) {
          log.warn(fields, 'A dependency is unavailable, the partition waits');
          outages += 1;
          await sleep(backoff(outages, retryPauses), signal);
        } else if (error instanceof PoisonError || attempt >= retry.attempts) {
          return moveAway(batch, message, attempt, error);
        } else {
          log.warn(fields, 'The handler failed and is retried');
          consumerMetrics.retries.inc({ group: group.name });
          await sleep(retry.firstDelayMs * retry.multiplier ** (attempt - 1), signal);
          attempt += 1;
        }
      }
    }
    return false;
  }

  async function moveAway(batch: Batch, message: KafkaMessage, attempts: number, error: unknown): Promise<boolean> {
    const { topic, partition, signal } = batch;
    const letter = { group: group.name, topic, partition, message, attempts, error };
    const isMoved = await writeDeadLetter(letter, { database, sender, log }, signal);
    if (isMoved) consumerMetrics.handled.inc({ group: group.name, result: 'dead' });
    return isMoved;
  }

  initialiseMetrics(group.name);
  return joinGroup({
    ...options,
    topics: options.topics ?? topicsOf(group),
    groupId: group.name,
    maxWaitMs: group.maxWaitMs,
    handle: handleBatch,
  });
}

/** Sets the trace of log lines; an event that can be processed has spans of its own. */
const inTraceOf = <T>({ headers }: KafkaMessage, work: () => Promise<T>) =>
  runInTrace(traceFrom(headers?.traceparent?.toString()), work);

/** Consecutive events of one partition. */
interface Part {
  events: StoreEvent[];
  signal: AbortSignal;
  resolve(refused: Refused | undefined): void;
}

/**
 * Lets the partitions of a consumer share chunks: one is in flight, and what arrives meanwhile is the next, so that chunks
 * grow with the load. A full chunk is begun at once.
 * @returns processes consecutive events of a partition, and resolves with undefined where they must be handled alone:
 *   their chunk failed, it would have had one event only, or the partition was lost
 */
export function createSharedChunks(
  { chunkSize, process }: { chunkSize: number; process(events: StoreEvent[]): Promise<Refused> },
  log: Logger,
) {
  const waiting: Part[] = [];
  let inFlight = 0;
  const onFailure = (err: unknown) => void log.debug({ err }, 'A chunk failed, its events are handled one by one');

  function startChunks(): void {
    while (waiting.length > 0 && (inFlight === 0 || countOf(waiting) >= chunkSize)) {
      inFlight += 1;
      // A chunk that takes longer, for example because it waits for a lock, holds up no further one.
      within(briefMs, processChunk(takeChunk())).then(() => {
        inFlight -= 1;
        startChunks();
      });
    }
  }

  /** Whole parts, of at most `chunkSize` events; a lost partition's are not begun. */
  function takeChunk(): Part[] {
    const chunk: Part[] = [];
    for (let part = waiting[0]; part !== undefined; part = waiting[0]) {
      if (chunk.length > 0 && countOf(chunk) + part.events.length > chunkSize) break;
      waiting.shift();
      if (part.signal.aborted) part.resolve(undefined);
      else chunk.push(part);
    }
    return chunk;
  }

  async function processChunk(chunk: Part[]): Promise<void> {
    const events = chunk.flatMap((part) => part.events);
    const refused = events.length < 2 ? undefined : await process(events).catch(onFailure);
    for (const part of chunk) part.resolve(refused);
  }

  return (events: StoreEvent[], signal: AbortSignal) =>
    new Promise<Refused | undefined>((resolve) => {
      waiting.push({ events, signal, resolve });
      setImmediate(startChunks); // the batches of one fetch arrive one after the other
    });
}

const countOf = (parts: Part[]) => parts.reduce((sum, { events }) => sum + events.length, 0);
