import type { EachBatchPayload, Kafka } from 'kafkajs';
import { sleep, within } from '../../values/time.ts';
import { brokerError, disconnect, untilAborted } from '../kafkajs/client.ts';
import { createOffsets } from '../kafkajs/offsets.ts';
import type { Watched } from '../kafkajs/watchdog.ts';
import { type ChunkOptions, handleChunk } from './handle-chunk.ts';
import { consumerMetrics, initialiseMetrics, reportMembership } from './metrics.ts';
import { createSharedChunks } from './shared-chunks.ts';

export interface ConsumerOptions extends Omit<ChunkOptions, 'processTogether'> {
  /** A new client of Kafka, which ends with the signal. */
  connect(signal: AbortSignal): Kafka;
  /** A consumer that sends no heartbeat for this long counts as dead. Handlers may take longer. */
  sessionTimeoutMs?: number;
  /** Once it was a member of its group, it waits for nothing any more. */
  servesWithoutKafka?: boolean;
}

export interface Consumer extends Watched {
  /** Names what keeps it from its group: the broker, or the topic that the broker lacks. A rebalance is no reason. */
  waitingFor(): 'kafka' | 'topics' | undefined;
  /** Finishes the messages in flight and leaves the group, if the broker answers soon enough. */
  stop(): Promise<void>;
}

/** Partitions are handled concurrently, each in order (contract 6.2). */
const concurrentPartitions = 6;
/** kafkajs fetches nothing while a batch is handled, so a longer batch continues in the background. */
const foregroundMs = 200;
/**
 * The next fetch waits this long for each message of the last one: few are fetched at once, of many the more are fetched and
 * handled together.
 */
const gatherMsPerMessage = 1.5;
const longestGatherMs = 50;
/**
 * Live members rejoin with their next heartbeat; the group need not wait longer for a dead one. Shorter than a connection
 * waits for an answer.
 */
const rebalanceTimeoutMs = 10_000;
const reconnectMs = 2_000;
/** A rebalance without end: by then the last member is a member again. */
const longestRebalanceMs = 30_000;
/** Time of a stopping consumer for its last commit, a join that it has begun, and leaving. */
const longestLeavingMs = 8_000;

/**
 * Consumes order events (contract 6.6). Each event is processed once, since its id is recorded in the transaction of its
 * handler; offsets are committed afterwards. An unavailable database, broker or service is no failure of the message:
 * the partition waits. Partitions do not wait for one another, and heartbeats continue however long a handler takes.
 * Whatever ends the client of Kafka, a new one takes its place.
 */
export function startConsumer(options: ConsumerOptions): Consumer {
  const { connect, topic, processor, sessionTimeoutMs = 10_000, servesWithoutKafka, log } = options;
  const { group, chunkSize, maxWaitMs } = processor;
  const heartbeatMs = Math.min(3_000, sessionTimeoutMs / 4);
  const stopping = new AbortController();
  /** Aborted at the end of a client. */
  let session = new AbortController();
  /** Aborted at every rebalance: from then on another member may handle what is in flight here. */
  let assignment = new AbortController();
  const assigned = new Set<number>();
  const inFlight = new Map<number, Promise<void>>();
  /** The batches of the last fetch that kafkajs waits for, and how many messages came with them. */
  const fetched = { batches: 0, messages: 0 };
  const chunks = { ...options, processTogether: createSharedChunks(processor, log) };
  const offsets = createOffsets(topic, log);
  /** When the broker last answered, whatever it said. */
  let answeredAt = performance.now();
  /** When it last answered that this is a member. */
  let memberAt = Number.NEGATIVE_INFINITY;
  let isTopicMissing = false;
  let leave = async () => {};

  function endAssignment() {
    assignment.abort();
    offsets.clear();
    if (!stopping.signal.aborted) assignment = new AbortController();
  }
  function isMember() {
    answeredAt = performance.now();
    memberAt = answeredAt;
  }

  async function handleBatch(
    { batch, ...payload }: EachBatchPayload,
    signal: AbortSignal,
    ended: AbortSignal,
  ): Promise<void> {
    const { partition, messages } = batch;

    function done(offset: string): void {
      if (ended.aborted || !assigned.has(partition)) return;
      offsets.done(partition, offset, payload.commitOffsetsIfNecessary);
      payload.resolveOffset(offset);
    }

    for (let from = 0; from < messages.length && !signal.aborted; from += chunkSize) {
      const end = consumerMetrics.seconds.startTimer({ group });
      const isDone = await handleChunk(chunks, partition, messages.slice(from, from + chunkSize), signal, done);
      if (!isDone) return;
      end();
    }
  }

  async function eachBatch(payload: EachBatchPayload, ended: AbortSignal): Promise<void> {
    if (fetched.batches === 0) fetched.messages = 0;
    fetched.batches += 1;
    fetched.messages += payload.batch.messages.length;
    try {
      const isDone = await handleInForeground(payload, ended);
      if (isDone && payload.batch.offsetLag() === '0') await gather();
    } finally {
      fetched.batches -= 1;
    }
  }

  /** Lets messages gather, if not enough of them wait already. */
  async function gather(): Promise<void> {
    const ms = maxWaitMs ?? Math.min(gatherMsPerMessage * fetched.messages, longestGatherMs);
    await sleep(ms, stopping.signal);
  }

  /** @returns whether the batch is done; if not, it continues in the background */
  async function handleInForeground(payload: EachBatchPayload, ended: AbortSignal): Promise<boolean> {
    const { partition } = payload.batch;
    const { signal } = assignment;
    if (signal.aborted || ended.aborted) {
      payload.pause();
      return false;
    }
    // An earlier batch, of a former client or assignment, may still be about to stop.
    const earlier = inFlight.get(partition);
    const handling = (async () => {
      await earlier?.catch(() => undefined);
      await handleBatch(payload, signal, ended);
    })();
    inFlight.set(partition, handling);
    const isDone = await within(
      foregroundMs,
      handling.then(() => true),
      () => false,
    );
    if (isDone) return true;
    // Until it is resumed, the client fetches other partitions and keeps sending heartbeats.
    const resume = payload.pause();
    handling
      .catch((error) => log.warn({ err: error, partition }, 'A batch was not finished and is fetched again'))
      .then(resume);
    return false;
  }

  /** Consumes with one client until it fails or `ended` is aborted. */
  async function consume(ended: AbortSignal): Promise<never> {
    const client = connect(ended).consumer({
      groupId: group,
      sessionTimeout: sessionTimeoutMs,
      rebalanceTimeout: rebalanceTimeoutMs,
      heartbeatInterval: heartbeatMs,
      maxWaitTimeInMs: heartbeatMs, // kafkajs sends heartbeats between fetches
      allowAutoTopicCreation: false,
      retry: { restartOnFailure: async () => false },
    });
    client.on(client.events.HEARTBEAT, isMember);
    client.on(client.events.REBALANCING, endAssignment);
    client.on(client.events.GROUP_JOIN, ({ payload: { memberAssignment } }) => {
      if (ended.aborted) return;
      isMember();
      endAssignment();
      assigned.clear();
      for (const partition of memberAssignment[topic] ?? []) assigned.add(partition);
    });
    const crash = new Promise<never>((_, reject) => {
      client.on(client.events.CRASH, ({ payload }) => reject(payload.error));
    });
    crash.catch(() => undefined); // heard below
    let joining: Promise<void> | undefined;
    leave = async () => {
      await joining; // kafkajs does not leave a group while it is joining it
      await client.stop(); // to disconnect would wait for the fetch in flight
    };
    try {
      return await untilAborted(ended, async () => {
        await client.connect();
        await client.subscribe({ topic, fromBeginning: true });
        joining = client.run({
          autoCommit: false,
          eachBatchAutoResolve: false,
          partitionsConsumedConcurrently: concurrentPartitions,
          eachBatch: (payload) => eachBatch(payload, ended),
        });
        await joining;
        return crash;
      });
    } finally {
      endAssignment();
      await disconnect(client);
    }
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      session = new AbortController();
      try {
        await consume(session.signal);
      } catch (error) {
        if (brokerError(error) !== undefined) answeredAt = performance.now();
        isTopicMissing = brokerError(error) === 'UNKNOWN_TOPIC_OR_PARTITION';
        const sentence = isTopicMissing
          ? 'The broker does not have the topic, the consumer waits'
          : 'The broker is unavailable, the consumer waits';
        if (!stopping.signal.aborted) log.warn({ err: error, topic }, sentence);
      }
      session.abort();
      await sleep(reconnectMs, stopping.signal);
    }
  }
  initialiseMetrics(group);
  reportMembership(group, () => performance.now() - memberAt < sessionTimeoutMs);
  run();

  return {
    name: 'consumer',
    waitingSince: () => (stopping.signal.aborted ? undefined : answeredAt),
    renew: () => session.abort(new Error('The broker does not answer this client')),
    waitingFor() {
      const patienceMs = servesWithoutKafka ? Number.POSITIVE_INFINITY : longestRebalanceMs;
      if (performance.now() - memberAt < patienceMs) return undefined;
      return isTopicMissing ? 'topics' : 'kafka';
    },
    async stop() {
      stopping.abort();
      assignment.abort();
      await Promise.allSettled(inFlight.values());
      await within(longestLeavingMs, offsets.end().then(leave));
      session.abort();
    },
  };
}
