import { setTimeout as wait } from 'node:timers/promises';
import type { EachBatchPayload, Kafka } from 'kafkajs';
import { type ChunkOptions, handleChunk } from './handle-chunk.ts';
import type { HandlerTransaction } from './handle-once.ts';
import { consumerMetrics, showFromStart } from './metrics.ts';
import { createOffsets } from './offsets.ts';

export type { RetryOptions } from './handle-chunk.ts';
export { type ConsumerGroup, type Handlers, type HandlerTransaction, handleOnce } from './handle-once.ts';

export interface ConsumerOptions<Tx extends HandlerTransaction, Prepared = void> extends ChunkOptions<Tx, Prepared> {
  kafka: Kafka;
  /**
   * How many messages may share a transaction. More are faster; 1 where handlers of different orders lock the same
   * rows, which in any other order would deadlock.
   */
  chunkSize: number;
  /**
   * How long a message may wait for others to come with it: a group that nobody waits for costs less so.
   * Default 0: each is fetched at once.
   */
  maxWaitMs?: number;
  /** Without a sign of life for so long a consumer counts as dead. Handlers may take longer. */
  sessionTimeoutMs?: number;
  /** The client has given up for good: the process had better end and be started anew. */
  onCrash(error: Error): void;
}

export interface Consumer {
  /** Ends after the messages under way, leaves the group. */
  stop(): Promise<void>;
}

/** Partitions that are worked on side by side; each in order (spec: Topic, ordering). */
const partitionsAtOnce = 6;
/** Many messages: with so much there is no more waiting for others. */
const fullBatchBytes = 256 * 1024;
/** The client fetches nothing while a batch is handled: what takes longer goes on beside it. */
const longestHoldMs = 200;
const longestJoinMs = 10_000;
/** For the client this is final, though it says no more than that the broker went away while it was asked. */
const noBroker = 'KafkaJSGroupCoordinatorNotFound';
/** A living member joins anew with its next heartbeat; the group need not wait longer for a dead one. */
const longestRejoinMs = 15_000;

/**
 * Consumes order events: pending, processing, retry, committed, dead letter (spec: Event handling by a consumer).
 * Effects happen once, for the event's id is stored in the transaction of the effect; offsets are committed after it.
 * A database, a broker or a service that is away is no failure of a message: the partition waits. Partitions do not
 * wait for one another, and the group hears of this consumer however long a handler takes.
 */
export function startConsumer<Tx extends HandlerTransaction, Prepared = void>(
  options: ConsumerOptions<Tx, Prepared>,
): Consumer {
  const { kafka, group, topic, chunkSize, maxWaitMs = 0, sessionTimeoutMs = 10_000, log, onCrash } = options;
  const stopping = new AbortController();
  /** Aborted when partitions are dealt out anew: somebody else may have what is under way here. */
  let assignment = new AbortController();
  const assigned = new Set<number>();
  const works = new Map<number, Promise<void>>();
  const offsets = createOffsets(topic, log);
  let running: Promise<void> | undefined;

  const consumer = kafka.consumer({
    groupId: group,
    sessionTimeout: sessionTimeoutMs,
    rebalanceTimeout: longestRejoinMs,
    heartbeatInterval: Math.min(3_000, sessionTimeoutMs / 4),
    maxWaitTimeInMs: maxWaitMs || 500,
    minBytes: maxWaitMs > 0 ? fullBatchBytes : 1,
    allowAutoTopicCreation: false,
    retry: { restartOnFailure: async () => !stopping.signal.aborted },
  });

  function reassign() {
    assignment.abort();
    offsets.forget();
    if (!stopping.signal.aborted) assignment = new AbortController();
  }
  consumer.on(consumer.events.REBALANCING, reassign);
  consumer.on(consumer.events.GROUP_JOIN, ({ payload: { memberAssignment } }) => {
    reassign();
    assigned.clear();
    for (const partition of memberAssignment[topic] ?? []) assigned.add(partition);
  });
  consumer.on(consumer.events.CRASH, ({ payload }) => {
    reassign();
    if (payload.restart || stopping.signal.aborted) return;
    if (payload.error.name !== noBroker) return onCrash(payload.error);
    running = rest().then(run);
  });

  async function work({ batch, ...payload }: EachBatchPayload, signal: AbortSignal): Promise<void> {
    const { partition, messages } = batch;

    function done(offset: string): void {
      if (!assigned.has(partition)) return;
      offsets.done(partition, offset, payload.commitOffsetsIfNecessary);
      payload.resolveOffset(offset);
    }

    for (let from = 0; from < messages.length && !signal.aborted; from += chunkSize) {
      const end = consumerMetrics.seconds.startTimer({ group });
      const isDone = await handleChunk(options, partition, messages.slice(from, from + chunkSize), signal, done);
      if (!isDone) return;
      end();
    }
  }

  async function eachBatch(payload: EachBatchPayload): Promise<void> {
    const { partition } = payload.batch;
    const { signal } = assignment;
    if (signal.aborted) return void payload.pause();
    // Only after a crash of the client there can be a former one, which is just giving up.
    const former = works.get(partition);
    const working = (async () => {
      await former?.catch(() => undefined);
      await work(payload, signal);
    })();
    works.set(partition, working);
    const isDone = await Promise.race([working.then(() => true), wait(longestHoldMs, false)]);
    if (isDone) return;
    // Until it is resumed, the client fetches other partitions, and keeps up its membership.
    const resume = payload.pause();
    working
      .catch((error) => log.warn({ err: error, partition }, 'A batch was not finished and is fetched again'))
      .then(resume);
  }

  const rest = () => wait(2_000, undefined, { signal: stopping.signal }).catch(() => undefined);

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await consumer.connect();
        await consumer.subscribe({ topic, fromBeginning: true });
        if (stopping.signal.aborted) return;
        await consumer.run({
          autoCommit: false,
          eachBatchAutoResolve: false,
          partitionsConsumedConcurrently: partitionsAtOnce,
          eachBatch,
        });
        return;
      } catch (error) {
        log.warn({ err: error }, 'The broker is not available, the consumer waits');
        await rest();
      }
    }
  }
  showFromStart(group);
  running = run();

  return {
    async stop() {
      stopping.abort();
      assignment.abort();
      await Promise.allSettled(works.values());
      await offsets.flush();
      // The client does not leave a group that it is just joining.
      await Promise.race([running, wait(longestJoinMs, undefined, { ref: false })]);
      await consumer.disconnect();
    },
  };
}
