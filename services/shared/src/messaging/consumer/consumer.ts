import { setTimeout as wait } from 'node:timers/promises';
import type { EachBatchPayload, Kafka } from 'kafkajs';
import { type ChunkOptions, handleChunk } from './handle-chunk.ts';
import { consumerMetrics, initialiseMetrics } from './metrics.ts';
import { createOffsets } from './offsets.ts';

export interface ConsumerOptions extends ChunkOptions {
  kafka: Kafka;
  /** A consumer that sends no heartbeat for this long counts as dead. Handlers may take longer. */
  sessionTimeoutMs?: number;
  /** The client has given up for good: end the process, to be started again. */
  onCrash(error: Error): void;
}

export interface Consumer {
  /** Finishes the messages in flight and leaves the group. */
  stop(): Promise<void>;
}

/** Partitions are handled concurrently, each in order (contract 6.2). */
const concurrentPartitions = 6;
/** With this much at hand the broker answers without waiting for more. */
const fullBatchBytes = 256 * 1024;
/** kafkajs fetches nothing while a batch is handled, so a longer batch continues in the background. */
const foregroundMs = 200;
const longestJoinMs = 10_000;
/** kafkajs treats this as final, though it only means that the broker went away while it was asked. */
const coordinatorNotFound = 'KafkaJSGroupCoordinatorNotFound';
/** Live members rejoin with their next heartbeat; the group need not wait longer for a dead one. */
const rebalanceTimeoutMs = 15_000;
const reconnectMs = 2_000;

/**
 * Consumes order events (contract 6.6). Each event is processed once, since its id is recorded in the transaction of its
 * handler; offsets are committed afterwards. An unavailable database, broker or service is no failure of the message:
 * the partition waits. Partitions do not wait for one another, and heartbeats continue however long a handler takes.
 */
export function startConsumer(options: ConsumerOptions): Consumer {
  const { kafka, topic, processor, sessionTimeoutMs = 10_000, log, onCrash } = options;
  const { group, chunkSize, maxWaitMs = 0 } = processor;
  const stopping = new AbortController();
  /** Aborted at every rebalance: from then on another member may handle what is in flight here. */
  let assignment = new AbortController();
  const assigned = new Set<number>();
  const inFlight = new Map<number, Promise<void>>();
  const offsets = createOffsets(topic, log);
  let running: Promise<void> | undefined;

  const consumer = kafka.consumer({
    groupId: group,
    sessionTimeout: sessionTimeoutMs,
    rebalanceTimeout: rebalanceTimeoutMs,
    heartbeatInterval: Math.min(3_000, sessionTimeoutMs / 4),
    maxWaitTimeInMs: maxWaitMs || 500,
    minBytes: maxWaitMs > 0 ? fullBatchBytes : 1,
    allowAutoTopicCreation: false,
    retry: { restartOnFailure: async () => !stopping.signal.aborted },
  });

  function endAssignment() {
    assignment.abort();
    offsets.clear();
    if (!stopping.signal.aborted) assignment = new AbortController();
  }
  consumer.on(consumer.events.REBALANCING, endAssignment);
  consumer.on(consumer.events.GROUP_JOIN, ({ payload: { memberAssignment } }) => {
    endAssignment();
    assigned.clear();
    for (const partition of memberAssignment[topic] ?? []) assigned.add(partition);
  });
  consumer.on(consumer.events.CRASH, ({ payload }) => {
    endAssignment();
    if (payload.restart || stopping.signal.aborted) return;
    if (payload.error.name !== coordinatorNotFound) return onCrash(payload.error);
    running = pauseBeforeReconnect().then(run);
  });

  async function handleBatch({ batch, ...payload }: EachBatchPayload, signal: AbortSignal): Promise<void> {
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
    // After a crash of the client an earlier batch may still be about to stop.
    const earlier = inFlight.get(partition);
    const handling = (async () => {
      await earlier?.catch(() => undefined);
      await handleBatch(payload, signal);
    })();
    inFlight.set(partition, handling);
    const isDone = await Promise.race([handling.then(() => true), wait(foregroundMs, false)]);
    if (isDone) return;
    // Until it is resumed, the client fetches other partitions and keeps sending heartbeats.
    const resume = payload.pause();
    handling
      .catch((error) => log.warn({ err: error, partition }, 'A batch was not finished and is fetched again'))
      .then(resume);
  }

  const pauseBeforeReconnect = () => wait(reconnectMs, undefined, { signal: stopping.signal }).catch(() => undefined);

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await consumer.connect();
        await consumer.subscribe({ topic, fromBeginning: true });
        if (stopping.signal.aborted) return;
        await consumer.run({
          autoCommit: false,
          eachBatchAutoResolve: false,
          partitionsConsumedConcurrently: concurrentPartitions,
          eachBatch,
        });
        return;
      } catch (error) {
        log.warn({ err: error }, 'The broker is unavailable, the consumer waits');
        await pauseBeforeReconnect();
      }
    }
  }
  initialiseMetrics(group);
  running = run();

  return {
    async stop() {
      stopping.abort();
      assignment.abort();
      await Promise.allSettled(inFlight.values());
      await offsets.end();
      // The client does not leave a group while it is joining it.
      await Promise.race([running, wait(longestJoinMs, undefined, { ref: false })]);
      await consumer.disconnect();
    },
  };
}
