import { maxCounted } from '@store/shared/database/read-page';
import type { Seen } from './replicas-client.ts';
import { highest, sums } from './sample.ts';
import type { Alert } from './schemas.ts';

/** Observations that rules evaluate. */
export interface Look {
  replicas: Seen;
  lag: Record<string, number>;
  outbox: Record<string, number>;
  /** Orders that have been PENDING for too long; null if the order service did not answer. */
  stuck: number | null;
  /** Increases of counters over the last seconds, by their key in sample.ts; undefined if the console has not watched that long. */
  risen(seconds: number): Map<string, number> | undefined;
  /** The same, but if the console has not watched that long, since it started to watch. */
  risenAtMost(seconds: number): Map<string, number>;
}

/** Returns a sentence for each subject, such as a group, for which a rule holds now. */
type Holds = (look: Look) => Record<string, string>;

const rule = (name: string, severity: Alert['severity'], forSeconds: number, holds: Holds) => ({
  name,
  severity,
  forSeconds,
  holds,
});

const named = (values: Iterable<[string, number]>, above: number, sentence: (name: string, value: number) => string) =>
  Object.fromEntries([...values].flatMap(([name, value]) => (value > above ? [[name, sentence(name, value)]] : [])));

/** For a rule that is not about a particular service or group. */
const ofAll = (isTrue: boolean, sentence: string): Record<string, string> => (isTrue ? { '': sentence } : {});

/** Sums by service, for services that have the metric. */
const sumsOf = (replicas: Seen, metric: string) =>
  sums(
    replicas.flatMap(({ service, samples }) =>
      samples.filter(({ name }) => name === metric).map(({ value }) => [service, value] as const),
    ),
  );

/**
 * The rules of charts/store/files/alerts/store.yaml that the console can evaluate from what it reads; a test compares both. The others
 * need Prometheus: they are about the gateway, Kafka, PostgreSQL or periods of days.
 */
export const rules = [
  rule('StoreComponentUnavailable', 'critical', 120, ({ replicas }) => {
    const up = new Set(replicas.filter(({ state }) => state !== 'GONE').map(({ service }) => service));
    const gone = replicas.filter(({ service }) => !up.has(service));
    return Object.fromEntries(gone.map(({ service }) => [service, `No replica of ${service} answers`]));
  }),
  rule('StoreSessionsStale', 'critical', 120, (look) =>
    ofAll((look.risenAtMost(120).get('stale') ?? 0) > 0, 'Tokens of ended sessions may be accepted'),
  ),
  rule('StoreDeadLetters', 'warning', 0, ({ replicas }) =>
    named(openLetters(replicas), 0, (group, count) => `${group} has open dead letters: ${count}`),
  ),
  rule('StoreOrdersTimedOut', 'warning', 0, (look) => {
    const count = look.risenAtMost(900).get('timedOut') ?? 0;
    const sentence = `${count} orders were cancelled within 15 minutes because they were PENDING for too long`;
    return ofAll(count > 0, sentence);
  }),
  // From the total on the first page, which counts the same orders as the metric (services/order/src/stuck-orders.ts).
  rule('StoreOrdersStuck', 'warning', 0, ({ stuck }) =>
    ofAll(
      (stuck ?? 0) > 0,
      `Orders are PENDING for longer than a minute: ${stuck === maxCounted ? 'at least ' : ''}${stuck}`,
    ),
  ),
  rule('StoreMailsNotSent', 'warning', 900, ({ risenAtMost }) => {
    const mails = risenAtMost(900);
    const [postponed = 0, sent = 0] = [mails.get('mail postponed'), mails.get('mail sent')];
    return ofAll(postponed > 0 && sent === 0, 'No mail can be sent');
  }),
  rule('StoreConsumerLag', 'warning', 600, ({ lag }) =>
    named(Object.entries(lag), 1_000, (group, value) => `${group} is ${value} messages behind`),
  ),
  rule('StoreConsumerStuck', 'critical', 600, ({ lag, risen }) => {
    const handled = risen(600);
    if (handled === undefined) return {};
    const idle = Object.entries(lag).filter(([group]) => (handled.get(`handled ${group}`) ?? 0) === 0);
    return named(idle, 0, (group) => `${group} has messages but handles none`);
  }),
  rule('StoreBatchUndecodable', 'critical', 0, ({ replicas }) =>
    Object.fromEntries(
      replicas.flatMap(({ samples }) =>
        samples
          .filter(({ name, value }) => name === 'consumer_undecodable_batches' && value > 0)
          .map(({ labels: { group, topic, partition } }) => [
            `${group} ${topic} ${partition}`,
            `${group} cannot decode a batch of ${topic}, partition ${partition}`,
          ]),
      ),
    ),
  ),
  rule('StoreConsumerNotInGroup', 'critical', 180, ({ replicas, lag }) => {
    if (Object.keys(lag).length === 0) return {};
    return Object.fromEntries(
      replicas.flatMap(({ address, samples }) =>
        samples
          .filter(({ name, value }) => name === 'consumer_group_member' && value === 0)
          .map(({ labels }) => [
            `${address} ${labels.group}`,
            `${address} is not in ${labels.group}, although Kafka answers others`,
          ]),
      ),
    );
  }),
  rule('StoreLagUnknown', 'critical', 300, ({ replicas, lag }) =>
    ofAll(
      sumsOf(replicas, 'outbox_relay_active').size > 0 && Object.keys(lag).length === 0,
      'Kafka does not answer the services',
    ),
  ),
  rule('StoreOutboxAge', 'critical', 60, ({ outbox }) =>
    named(
      Object.entries(outbox),
      60,
      (service, age) => `An event of ${service} has been waiting for ${Math.round(age)} s to be published`,
    ),
  ),
  rule('StoreRelayInactive', 'critical', 120, ({ replicas }) =>
    Object.fromEntries(
      [...sumsOf(replicas, 'outbox_relay_active')]
        .filter(([, active]) => active < 1)
        .map(([service]) => [service, `Nobody publishes the events of ${service}`]),
    ),
  ),
];

/** Counts open dead letters by group: each replica reports all letters of its group. */
const openLetters = (replicas: Seen) =>
  highest(
    replicas.flatMap((replica) => replica.samples),
    'dead_letters_open',
    ({ group = '' }) => group,
  );

/** Remembers since when the condition of each rule has held. */
export function createAlerts() {
  let holding = new Map<string, Alert & { firesAt: number }>();
  return {
    look(at: number, look: Look): void {
      const now: typeof holding = new Map();
      for (const { name, severity, forSeconds, holds } of rules) {
        for (const [subject, summary] of Object.entries(holds(look))) {
          const key = `${name} ${subject}`;
          const since = holding.get(key)?.since ?? at;
          now.set(key, { name, severity, summary, since, firesAt: since + forSeconds * 1_000 });
        }
      }
      holding = now;
    },
    /** Alerts whose condition has held for long enough, critical ones first. */
    firing: (at: number): Alert[] =>
      [...holding.values()]
        .filter(({ firesAt }) => firesAt <= at)
        .map(({ firesAt: _, ...alert }) => alert)
        .sort((a, b) => a.severity.localeCompare(b.severity) || a.since - b.since),
  };
}
