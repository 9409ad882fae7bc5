import type { KafkaMessage } from 'kafkajs';
import type { Logger } from '../../observability/log.ts';
import { runInTrace, traceFrom } from '../../observability/trace-context.ts';
import { backoff, sleep } from '../../values/time.ts';
import { deadLetterHeaders, letterRef } from '../dead-letters/dead-letters.ts';
import { recordOpen } from '../dead-letters/records.ts';
import { type OrderEvent, PoisonError, readEvent } from '../events.ts';
import { isTooLarge } from '../kafkajs/client.ts';
import { type ReadBytes, readMessage, writableHeaders } from '../kafkajs/messages.ts';
import type { Sender } from '../kafkajs/publisher.ts';
import { deadLetterTopic } from '../topics.ts';
import { type EventProcessor, isUnavailable } from './handle-once.ts';
import { consumerMetrics } from './metrics.ts';
import type { ProcessTogether } from './shared-chunks.ts';

export interface ChunkOptions {
  topic: string;
  processor: EventProcessor;
  /** For dead letters. */
  sender: Sender;
  log: Logger;
  retry: RetryOptions;
  processTogether: ProcessTogether;
}

/** contract 6.6 */
export interface RetryOptions {
  /** In total, including the first. */
  attempts: number;
  firstDelayMs: number;
  multiplier: number;
}

interface ReadMessage {
  message: KafkaMessage;
  /** Neither an event nor poison: a kind that this group does not handle. */
  event?: OrderEvent | undefined;
  poison?: unknown;
}

const longestPauseMs = 5_000;

/**
 * Handles consecutive messages of a partition in order (contract 6.6): together, or, if that fails, one by one.
 * @param signal aborted when the partition is lost or the consumer stops: nothing further is begun
 * @param done called when everything up to an offset is finished
 * @returns false if it stopped early; whoever is assigned the partition handles the rest
 */
export async function handleChunk(
  options: ChunkOptions,
  partition: number,
  messages: KafkaMessage[],
  signal: AbortSignal,
  done: (offset: string) => void,
): Promise<boolean> {
  const { topic, processor } = options;
  const { group, kinds } = processor;
  const all = messages.map((message) => read(topic, partition, message, kinds));
  const events = all.flatMap(({ event }) => event ?? []);
  const refused = events.length > 0 ? await options.processTogether(events, signal) : undefined;
  let lastDone: string | undefined;
  let skipped = 0;
  for (const { message, event, poison } of all) {
    const fault = poison ?? (event && refused?.get(event));
    if (fault !== undefined) {
      if (!(await inTraceOf(message, () => deadLetter(options, partition, message, 1, fault, signal)))) return false;
    } else if (event === undefined) {
      skipped += 1;
    } else if (refused === undefined) {
      if (!(await inTraceOf(message, () => processAlone(options, partition, message, event, signal)))) return false;
      lastDone = message.offset;
      done(lastDone);
    }
  }
  consumerMetrics.handled.inc({ group, result: 'skipped' }, skipped);
  const last = messages.at(-1);
  if (last !== undefined && last.offset !== lastDone) done(last.offset);
  return true;
}

/** For the log lines; an event that can be processed has spans of its own. */
const inTraceOf = <T>({ headers }: KafkaMessage, work: () => Promise<T>) =>
  runInTrace(traceFrom(headers?.traceparent?.toString()), work);

function read(topic: string, partition: number, message: KafkaMessage, kinds: ReadonlySet<string>): ReadMessage {
  try {
    return { message, event: readEvent(readMessage(topic, partition, message), kinds) };
  } catch (poison) {
    return { message, poison };
  }
}

/** Attempts, pauses and, in the end, the dead letter of one event. */
async function processAlone(
  options: ChunkOptions,
  partition: number,
  message: KafkaMessage,
  event: OrderEvent,
  signal: AbortSignal,
): Promise<boolean> {
  const { processor, retry, log } = options;
  for (let attempt = 1, outages = 0; !signal.aborted; ) {
    try {
      const reason = (await processor.process([event])).get(event);
      return reason === undefined || deadLetter(options, partition, message, attempt, reason, signal);
    } catch (error) {
      const fields = { err: error, kind: event.kind, eventId: event.id, attempt };
      if (isUnavailable(error)) {
        log.warn(fields, 'A dependency is unavailable, the partition waits');
        outages += 1;
        await sleep(backoff(outages, { firstMs: 250, maxMs: longestPauseMs }), signal);
      } else if (error instanceof PoisonError || attempt >= retry.attempts) {
        return deadLetter(options, partition, message, attempt, error, signal);
      } else {
        log.warn(fields, 'The handler failed and is retried');
        consumerMetrics.retries.inc({ group: processor.group });
        await sleep(retry.firstDelayMs * retry.multiplier ** (attempt - 1), signal);
        attempt += 1;
      }
    }
  }
  return false;
}

/** Moves a message to the dead letters, however long that takes: it must not be lost. */
async function deadLetter(
  { processor: { group, database }, sender, topic, log }: ChunkOptions,
  partition: number,
  message: KafkaMessage,
  attempts: number,
  error: unknown,
  signal: AbortSignal,
): Promise<boolean> {
  const origin = { topic, partition, offset: message.offset };
  const added = deadLetterHeaders(group, attempts, error, origin);
  // Byte for byte: a message that cannot be decoded is one of those that end here. Its own headers come behind, since not all of
  // them may be read again (kafkajs/patches.ts), and replace none.
  let letter: ReadBytes = { ...message, headers: { ...added, ...writableHeaders(message.headers), ...added } };
  // A part that is too large stays at its origin: the value or, if that is not enough, key and headers as well.
  const smaller = [
    { ...letter, value: null },
    { ...letter, value: null, key: null, headers: added },
  ];
  while (!signal.aborted) {
    try {
      await recordOpen(database, letterRef(group, readMessage(topic, partition, letter)));
      await sender.send(deadLetterTopic, [letter]);
      consumerMetrics.handled.inc({ group, result: 'dead' });
      log.error({ err: error, ...origin, attempts }, 'A message was moved to the dead letters');
      return true;
    } catch (failure) {
      const next = isTooLarge(failure) ? smaller.shift() : undefined;
      if (next !== undefined) {
        log.warn(origin, 'A dead letter is too large; it is written without what is, which stays at its origin');
        letter = next;
        continue;
      }
      log.warn({ err: failure, ...origin }, 'A dead letter cannot be written, the partition waits');
      await sleep(1_000, signal);
    }
  }
  return false;
}
