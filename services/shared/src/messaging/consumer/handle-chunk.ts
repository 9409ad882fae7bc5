import { setTimeout as wait } from 'node:timers/promises';
import type { KafkaMessage } from 'kafkajs';
import type { Logger } from '../../observability/log.ts';
import { runInTrace, traceFrom } from '../../observability/trace-context.ts';
import { deadLetterHeaders, deadLetterTopic } from '../dead-letters/dead-letters.ts';
import { type OrderEvent, PoisonError, readEvent } from '../events.ts';
import { isTooLarge, readMessage, type Sender } from '../kafka.ts';
import { type ConsumerGroup, type HandlerTransaction, handleOnce, isUnavailable } from './handle-once.ts';
import { consumerMetrics } from './metrics.ts';

export interface ChunkOptions<Tx extends HandlerTransaction, Prepared = void> extends ConsumerGroup<Tx, Prepared> {
  topic: string;
  /** For dead letters. */
  sender: Sender;
  log: Logger;
  retry: RetryOptions;
}

/** spec: Limits, retry attempts */
export interface RetryOptions {
  attempts: number;
  firstDelayMs: number;
  multiplier: number;
}

interface Handled {
  message: KafkaMessage;
  /** Neither event nor poison: a kind that this group does not handle. */
  event?: OrderEvent | undefined;
  poison?: unknown;
}

const longestWaitMs = 5_000;

/**
 * Handles some messages of a partition in their order (spec: Event handling by a consumer). Those that can be are
 * handled in one transaction; where that fails, each is alone.
 * @param signal no more is begun when it is aborted
 * @param done called when everything up to an offset is done with
 * @returns false when it was given up before the end, to be done again by whoever has the partition then
 */
export async function handleChunk<Tx extends HandlerTransaction, Prepared>(
  options: ChunkOptions<Tx, Prepared>,
  partition: number,
  messages: KafkaMessage[],
  signal: AbortSignal,
  done: (offset: string) => void,
): Promise<boolean> {
  const { group, handlers } = options;
  const wanted = new Set(Object.keys(handlers));
  const all = messages.map((message) => read(message, wanted));
  const isApplied = await applyTogether(options, all);
  let doneWith: string | undefined;
  for (const { message, event, poison } of all) {
    // For the log lines; an event that can be handled has spans of its own.
    const trace = traceFrom(message.headers?.traceparent?.toString());
    if (poison !== undefined) {
      if (!(await runInTrace(trace, () => deadLetter(options, partition, message, 1, poison, signal)))) return false;
    } else if (event === undefined) {
      consumerMetrics.handled.inc({ group, result: 'skipped' });
    } else if (!isApplied) {
      if (!(await runInTrace(trace, () => handleOne(options, partition, message, event, signal)))) return false;
      doneWith = message.offset;
      done(doneWith);
    }
  }
  const last = messages.at(-1);
  if (last !== undefined && last.offset !== doneWith) done(last.offset);
  return true;
}

function read(message: KafkaMessage, wanted: ReadonlySet<string>): Handled {
  try {
    return { message, event: readEvent(readMessage(message), wanted) };
  } catch (poison) {
    return { message, poison };
  }
}

async function applyTogether<Tx extends HandlerTransaction, Prepared>(
  options: ChunkOptions<Tx, Prepared>,
  all: Handled[],
): Promise<boolean> {
  const events = all.flatMap(({ event }) => event ?? []);
  if (events.length < 2) return false;
  try {
    await handleOnce(options, events);
    return true;
  } catch (error) {
    options.log.debug({ err: error, events: events.length }, 'Events are handled one by one');
    return false;
  }
}

/** Pending, processing, retry, committed or dead letter: one message on its way. */
async function handleOne<Tx extends HandlerTransaction, Prepared>(
  options: ChunkOptions<Tx, Prepared>,
  partition: number,
  message: KafkaMessage,
  event: OrderEvent,
  signal: AbortSignal,
): Promise<boolean> {
  const { group, retry, log } = options;
  for (let attempt = 1, waits = 0; !signal.aborted; ) {
    try {
      await handleOnce(options, [event]);
      return true;
    } catch (error) {
      const about = { err: error, kind: event.kind, eventId: event.id, attempt };
      if (isUnavailable(error)) {
        log.warn(about, 'What the handler needs is away, the partition waits');
        await pause(Math.min(250 * 2 ** waits++, longestWaitMs), signal);
      } else if (error instanceof PoisonError || attempt >= retry.attempts) {
        return deadLetter(options, partition, message, attempt, error, signal);
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

/** Moves a message to the dead letters, however long that takes: it must not be lost. */
async function deadLetter<Tx extends HandlerTransaction, Prepared>(
  { group, sender, topic, log }: ChunkOptions<Tx, Prepared>,
  partition: number,
  { key, value, headers, offset }: KafkaMessage,
  attempts: number,
  error: unknown,
  signal: AbortSignal,
): Promise<boolean> {
  const origin = { topic, partition, offset };
  // As it came, byte by byte: what cannot be read is just what ends here.
  const letter = { key, value, headers: { ...headers, ...deadLetterHeaders(group, attempts, error, origin) } };
  while (!signal.aborted) {
    try {
      await sender.send(deadLetterTopic, [letter]);
      consumerMetrics.handled.inc({ group, result: 'dead' });
      log.error({ err: error, ...origin, attempts }, 'A message was moved to the dead letters');
      return true;
    } catch (failure) {
      if (isTooLarge(failure) && letter.value !== null) {
        log.warn(origin, 'A dead letter is too large with its value, which can be read at its origin only');
        letter.value = null;
        continue;
      }
      log.warn({ err: failure, ...origin }, 'A dead letter cannot be written, the partition waits');
      await pause(1_000, signal);
    }
  }
  return false;
}

const pause = (ms: number, signal: AbortSignal) => wait(ms, undefined, { signal }).catch(() => undefined);
