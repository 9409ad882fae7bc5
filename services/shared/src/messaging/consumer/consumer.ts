import type { Database } from '../../database/database.ts';
import { runInTrace, traceFrom } from '../../observability/trace-context.ts';
import { coalesce } from '../../values/coalesce.ts';
import { backoff, sleep } from '../../values/time.ts';
import type { retriesFrom } from '../config.ts';
import { writeDeadLetter } from '../dead-letters/write.ts';
import { PoisonError, readEvent, type StoreEvent } from '../events.ts';
import { type ReceivedMessage, readMessage } from '../kafka/messages.ts';
import type { Sender } from '../kafka/publisher.ts';
import { type Batch, type Subscription, type SubscriptionOptions, subscribe } from '../kafka/subscription.ts';
import { type ConsumerGroup, kindsOf, topicsOf } from './group.ts';
import { consumerMetrics, initialiseMetrics } from './metrics.ts';
import { isUnavailable, type Outcome, processEvents } from './process.ts';
import { createSharedChunks } from './shared-chunks.ts';

/** Pauses while a dependency is unavailable. */
const outagePauses = { firstMs: 100, maxMs: 2_000 };
/** Time for messages that nobody wants to gather: skipping them costs next to nothing then. Whoever wants the next ones waits once. */
const unwantedGatherMs = 1_000;

export interface ConsumerOptions<Client>
  extends Omit<SubscriptionOptions, 'groupId' | 'topics' | 'gatherMs' | 'onBatch'> {
  group: ConsumerGroup<Client>;
  database: Database<Client>;
  /** Default: the topics of the group's kinds. */
  topics?: string[];
  /** For dead letters. */
  sender: Sender;
  /** contract 6.6 */
  retry: ReturnType<typeof retriesFrom>;
}

/** A parsed message; undefined if the group does not handle its kind. */
type Content = { event: StoreEvent } | { poison: unknown } | undefined;

/**
 * Consumes events (contract 6.6): the messages of a partition in order, in chunks that partitions share, and one by one if a
 * chunk fails. The offset of a message is committed when it has an outcome. An unavailable database, broker or service does not
 * count as a failure of the message: the partition waits.
 */
export function startConsumer<Client>(options: ConsumerOptions<Client>): Subscription {
  const { group, database, sender, retry, log } = options;
  const handled = kindsOf(group);
  /** Partitions that were fetched together ask together. */
  const wantedNow = group.wanted && coalesce(group.wanted);
  let isAnyWanted = true;
  const processTogether = createSharedChunks({
    chunkSize: group.chunkSize,
    process: (events) => processEvents(group, database, events),
    log,
  });

  /** Ends early if the partition is lost: its next owner processes the rest. */
  async function consumeBatch({ topic, partition, messages, signal, done }: Batch): Promise<void> {
    for (let from = 0; from < messages.length && !signal.aborted; from += group.chunkSize) {
      const end = consumerMetrics.seconds.startTimer({ group: group.name });
      const chunk = messages.slice(from, from + group.chunkSize);
      const kinds = await wantedKinds(signal);
      isAnyWanted = kinds.size > 0;
      if (!isAnyWanted) {
        // All at once, since an order that nobody wants to hear of should cost next to nothing.
        consumerMetrics.handled.inc({ group: group.name, result: 'skipped' }, messages.length - from);
        done((messages.at(-1) as ReceivedMessage).offset);
        end();
        return;
      }
      const contents = chunk.map((message) => contentOf(topic, partition, message, kinds));
      let finished = 0;
      for await (const outcome of outcomesOf(contents, signal)) {
        const message = chunk[finished] as ReceivedMessage;
        if (outcome.result === 'dead' && !(await moveAway(outcome, { topic, partition, message, signal }))) return;
        done(message.offset);
        finished += 1;
      }
      end();
      if (finished < chunk.length) return;
    }
  }

  /** Waits for the answer as long as it takes. */
  async function wantedKinds(signal: AbortSignal): Promise<ReadonlySet<string>> {
    if (wantedNow === undefined) return handled;
    for (let outages = 1; !signal.aborted; outages += 1) {
      try {
        return await wantedNow(undefined);
      } catch (error) {
        log.warn({ err: error }, 'Which events are wanted is not known, the partition waits');
        await sleep(backoff(outages, outagePauses), signal);
      }
    }
    return handled;
  }

  function contentOf(topic: string, partition: number, message: ReceivedMessage, kinds: ReadonlySet<string>): Content {
    try {
      const event = readEvent(readMessage(topic, partition, message), kinds);
      return event && { event };
    } catch (poison) {
      return { poison };
    }
  }

  /** Yields an outcome for each message, in order, until the partition is lost. */
  async function* outcomesOf(
    contents: Content[],
    signal: AbortSignal,
  ): AsyncGenerator<Outcome | { result: 'skipped' }> {
    const events = contents.flatMap((content) => (content && 'event' in content ? content.event : []));
    const known = events.length > 0 ? await processTogether(events, signal) : new Map<StoreEvent, Outcome>();
    for (const content of contents) {
      if (content === undefined) {
        consumerMetrics.handled.inc({ group: group.name, result: 'skipped' });
        yield { result: 'skipped' };
      } else if ('poison' in content) {
        yield { result: 'dead', attempts: 1, reason: content.poison };
      } else {
        const { event } = content;
        // The trace is for log lines; each attempt starts its own span.
        const alone = () => runInTrace(traceFrom(event.traceparent), () => processAlone(event, signal));
        const outcome = known.get(event) ?? (await alone());
        if (outcome === undefined) return;
        yield outcome;
      }
    }
  }

  /** Processes one event, with retries and pauses. @returns undefined if the partition is lost */
  async function processAlone(event: StoreEvent, signal: AbortSignal): Promise<Outcome | undefined> {
    for (let attempt = 1, outages = 0; !signal.aborted; ) {
      try {
        const [outcome] = await processEvents(group, database, [event]);
        return outcome?.result === 'dead' ? { ...outcome, attempts: attempt } : outcome;
      } catch (error) {
        const fields = { err: error, kind: event.kind, eventId: event.id, attempt };
        if (isUnavailable(error)) {
          log.warn(fields, 'A dependency is unavailable, the partition waits');
          outages += 1;
          await sleep(backoff(outages, outagePauses), signal);
        } else if (error instanceof PoisonError || attempt >= retry.attempts) {
          return { result: 'dead', attempts: attempt, reason: error };
        } else {
          log.warn(fields, 'The handler failed and is retried');
          consumerMetrics.retries.inc({ group: group.name });
          await sleep(retry.firstDelayMs * retry.multiplier ** (attempt - 1), signal);
          attempt += 1;
        }
      }
    }
    return undefined;
  }

  /** Writes the dead letter of a message. @returns false if the partition is lost first */
  async function moveAway(
    { attempts, reason }: Extract<Outcome, { result: 'dead' }>,
    { topic, partition, message, signal }: Pick<Batch, 'topic' | 'partition' | 'signal'> & { message: ReceivedMessage },
  ): Promise<boolean> {
    const letter = { group: group.name, topic, partition, message, attempts, error: reason };
    const write = () => writeDeadLetter(letter, { database, sender, log }, signal);
    const isMoved = await runInTrace(traceFrom(message.headers?.traceparent?.toString()), write);
    if (isMoved) consumerMetrics.handled.inc({ group: group.name, result: 'dead' });
    return isMoved;
  }

  initialiseMetrics(group.name);
  return subscribe({
    ...options,
    topics: options.topics ?? topicsOf(group),
    groupId: group.name,
    gatherMs: () => (isAnyWanted ? group.maxWaitMs : unwantedGatherMs),
    onBatch: consumeBatch,
  });
}
