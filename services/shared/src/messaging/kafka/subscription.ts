import type { EachBatchPayload, Kafka } from 'kafkajs';
import type { Logger } from '../../observability/log.ts';
import { sleep, within } from '../../values/time.ts';
import { brokerError, disconnect, untilAborted } from './client.ts';
import type { ReceivedMessage } from './messages.ts';
import { reportMembership, reportUndecodable } from './metrics.ts';
import { createOffsets, type Place, placeOf } from './offsets.ts';
import { undecodableOf } from './record-batches.ts';
import type { Watched } from './watchdog.ts';

export interface Batch extends Place {
  messages: ReceivedMessage[];
  /** Aborted when the partition is lost or the consumer stops: start no more work. */
  signal: AbortSignal;
  /** To be called when all messages up to an offset are finished. */
  done(offset: string): void;
}

export interface SubscriptionOptions {
  groupId: string;
  /** Makes a new Kafka client, which ends with the signal. */
  connect(signal: AbortSignal): Kafka;
  topics: string[];
  /** A consumer that sends no heartbeat for this long counts as dead. Handlers may take longer. */
  sessionTimeoutMs?: number;
  /** If true, readiness needs Kafka only until the process has first joined its group. */
  servesWithoutKafka?: boolean;
  /** Zone of this process: it reads from the replica in that zone, if brokers know their zones. */
  rack?: string | undefined;
  /** Time for messages to gather before the next fetch, in ms. Undefined: it grows with the size of the last fetch. */
  gatherMs?(): number | undefined;
  /** Processes a batch. Messages that are not reported as done when it ends are fetched again. */
  onBatch(batch: Batch): Promise<void>;
  log: Logger;
}

/** Membership in a group, which consumes the partitions that the group assigns. */
export interface Subscription extends Watched {
  /**
   * Names what prevents it from joining its group, or a partition from being read: the broker, a missing topic, or a batch that cannot
   * be decoded. A rebalance does not count.
   */
  waitingFor(): 'kafka' | 'topics' | 'undecodable batch' | undefined;
  /** Finishes the messages in flight and leaves the group, if the broker answers soon enough. */
  stop(): Promise<void>;
}

/** Partitions are handled concurrently, each in order (contract 6.2). */
const concurrentPartitions = 6;
/** After this time without a heartbeat, the broker considers a member dead. */
export const sessionTimeoutMs = 10_000;
/** Live members rejoin with their next heartbeat; the group need not wait longer for a dead member. */
const rebalanceTimeoutMs = 10_000;
/** Time between heartbeats. kafkajs sends them between fetches, so an idle fetch also waits this long. */
const heartbeatEveryMs = 3_000;
/** New partitions are read after this time at most. */
const metadataMaxAgeMs = 30_000;
/** Pause before a failed client is replaced. */
const reconnectAfterMs = 2_000;
/** kafkajs waits this long for a batch before it fetches for the other partitions. */
const waitForBatchMs = 200;
/** How often an undecodable batch is fetched again, in case its records were deleted. */
const undecodableEveryMs = 10_000;
/** A rebalance, even a repeated one, takes less: by then every member has rejoined. */
const longestAbsenceMs = 30_000;
/** Time for the last commit, a join in progress, and leaving; later the group considers the member dead anyway. */
const leaveTimeoutMs = 8_000;
/** Delay of the next fetch per message of the last fetch: under load, more messages are fetched and handled together. */
const gatherMsPerMessage = 1.5;
const longestGatherMs = 50;

/**
 * Joins a group, passes the batches of its partitions to `onBatch`, and commits offsets afterwards. Partitions do not wait for each
 * other, and heartbeats continue during long batches. A client that ends for any reason is replaced.
 */
export function subscribe({
  connect,
  groupId,
  topics,
  onBatch,
  gatherMs = () => undefined,
  sessionTimeoutMs: sessionMs = sessionTimeoutMs,
  servesWithoutKafka,
  rack = '',
  log,
}: SubscriptionOptions): Subscription {
  const heartbeatMs = Math.min(heartbeatEveryMs, sessionMs / 4);
  const stopping = new AbortController();
  /** Aborted when a client ends. */
  let session = new AbortController();
  /** Aborted at every rebalance: then another member may handle the messages that are in flight here. */
  let assignment = new AbortController();
  /** By place. */
  const assigned = new Map<string, Place>();
  const inFlight = new Map<string, Promise<void>>();
  /** The batches of the last fetch that kafkajs still waits for, and the number of their messages. */
  const fetched = { batches: 0, messages: 0 };
  /** When an undecodable batch was last tried, by the place that waits for it. */
  const undecodable = new Map<string, number>();
  const offsets = createOffsets(log);
  /** When the broker last answered, even with an error. */
  let answeredAt = performance.now();
  /** When the broker last confirmed the membership. */
  let memberAt = Number.NEGATIVE_INFINITY;
  let isTopicMissing = false;
  let leave = async () => {};

  function endAssignment() {
    assignment.abort();
    offsets.clear();
    if (!stopping.signal.aborted) assignment = new AbortController();
  }
  function membershipSeen() {
    answeredAt = performance.now();
    memberAt = answeredAt;
  }

  /** Waits for the batch, and for messages to gather. kafkajs does not fetch in the meantime, so a long batch continues in the background. */
  async function eachBatch({ batch, ...payload }: EachBatchPayload, ended: AbortSignal): Promise<void> {
    const { topic, partition, messages } = batch;
    const place = placeOf(batch);
    const { signal } = assignment;
    if (signal.aborted || ended.aborted) return void payload.pause();
    if (messages.length === 0) return waitAtUndecodable(batch, payload.pause());
    undecodable.delete(place);
    if (fetched.batches === 0) fetched.messages = 0;
    fetched.batches += 1;
    fetched.messages += messages.length;

    function done(offset: string): void {
      if (ended.aborted || !assigned.has(place)) return;
      offsets.done(batch, offset, payload.commitOffsetsIfNecessary);
      payload.resolveOffset(offset);
    }

    // An earlier batch, of a previous client or assignment, may not have stopped yet.
    const earlier = inFlight.get(place) ?? Promise.resolve();
    const handling = earlier.catch(() => undefined).then(() => onBatch({ topic, partition, messages, signal, done }));
    inFlight.set(place, handling);
    try {
      const isDone = await within(
        waitForBatchMs,
        handling.then(() => true),
      );
      if (isDone) {
        const pauseMs = gatherMs() ?? Math.min(gatherMsPerMessage * fetched.messages, longestGatherMs);
        if (batch.offsetLag() === '0') await sleep(pauseMs, stopping.signal);
        return;
      }
      // While this partition is paused, the client fetches the others and sends heartbeats.
      const resume = payload.pause();
      handling
        .catch((error) => log.warn({ err: error, topic, partition }, 'A batch was not finished and is fetched again'))
        .then(resume);
    } finally {
      fetched.batches -= 1;
    }
  }

  /** Only this partition waits, until somebody deletes the records or a new version can decode the batch. */
  function waitAtUndecodable(batch: EachBatchPayload['batch'], resume: () => void): void {
    const { topic, partition } = batch;
    const { offset, error } = undecodableOf(batch) ?? {};
    undecodable.set(placeOf(batch), performance.now());
    log.error({ err: error, topic, partition, offset }, 'A batch cannot be decoded, the partition waits');
    setTimeout(resume, undecodableEveryMs).unref();
  }
  /** A batch that was not tried again no longer counts: later records were fetched, or there are none. */
  function isUndecodable(place: string): boolean {
    const triedAt = undecodable.get(place) ?? Number.NEGATIVE_INFINITY;
    return performance.now() - triedAt < 2 * undecodableEveryMs;
  }

  /** Consumes with one client until it fails or `ended` is aborted. */
  async function consume(ended: AbortSignal): Promise<never> {
    const client = connect(ended).consumer({
      groupId,
      sessionTimeout: sessionMs,
      rebalanceTimeout: rebalanceTimeoutMs,
      heartbeatInterval: heartbeatMs,
      maxWaitTimeInMs: heartbeatMs,
      allowAutoTopicCreation: false,
      metadataMaxAge: metadataMaxAgeMs,
      rackId: rack,
      retry: { restartOnFailure: async () => false },
    });
    client.on(client.events.HEARTBEAT, membershipSeen);
    client.on(client.events.REBALANCING, endAssignment);
    client.on(client.events.GROUP_JOIN, ({ payload: { memberAssignment } }) => {
      if (ended.aborted) return;
      membershipSeen();
      endAssignment();
      assigned.clear();
      for (const topic of topics) {
        for (const partition of memberAssignment[topic] ?? [])
          assigned.set(placeOf({ topic, partition }), { topic, partition });
      }
      for (const place of undecodable.keys()) if (!assigned.has(place)) undecodable.delete(place);
    });
    const crash = new Promise<never>((_, reject) => {
      client.on(client.events.CRASH, ({ payload }) => reject(payload.error));
    });
    crash.catch(() => undefined); // awaited below
    let joining: Promise<void> | undefined;
    leave = async () => {
      await joining; // kafkajs does not leave a group while it is still joining
      await client.stop(); // disconnecting would wait for the fetch in flight
    };
    try {
      return await untilAborted(ended, async () => {
        await client.connect();
        await client.subscribe({ topics, fromBeginning: true });
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
          ? 'The broker does not have a topic, the consumer waits'
          : 'The broker is unavailable, the consumer waits';
        if (!stopping.signal.aborted) log.warn({ err: error, topics }, sentence);
      }
      session.abort();
      await sleep(reconnectAfterMs, stopping.signal);
    }
  }
  reportMembership(groupId, () => performance.now() - memberAt < sessionMs);
  reportUndecodable(groupId, () =>
    Array.from(assigned, ([place, where]) => ({ ...where, isUndecodable: isUndecodable(place) })),
  );
  run();

  return {
    name: 'consumer',
    waitingSince: () => (stopping.signal.aborted ? undefined : answeredAt),
    renew: () => session.abort(new Error('The broker does not answer this client')),
    waitingFor() {
      const maxAbsenceMs = servesWithoutKafka ? Number.POSITIVE_INFINITY : longestAbsenceMs;
      if (performance.now() - memberAt >= maxAbsenceMs) return isTopicMissing ? 'topics' : 'kafka';
      return !servesWithoutKafka && [...assigned.keys()].some(isUndecodable) ? 'undecodable batch' : undefined;
    },
    async stop() {
      stopping.abort();
      assignment.abort();
      await Promise.allSettled(inFlight.values());
      await within(leaveTimeoutMs, offsets.end().then(leave));
      session.abort();
    },
  };
}
