import type { Seen } from './history.ts';
import { highest } from './sample.ts';

export interface Alert {
  name: string;
  severity: 'critical' | 'warning';
  summary: string;
  /** Since when its condition holds: milliseconds since 1970. */
  since: number;
}

/** Observations that rules look at. */
export interface Look {
  replicas: Seen;
  lag: Record<string, number>;
  outbox: Record<string, number>;
  /** Increases of counters in the last seconds, by their name in sample.ts; undefined if nobody has looked for so long. */
  risen(seconds: number): Map<string, number> | undefined;
  /** The same since the console began to look, if that is later. */
  risenAtMost(seconds: number): Map<string, number>;
}

interface Rule extends Pick<Alert, 'name' | 'severity'> {
  forSeconds: number;
  /** A sentence for each of those for whom it holds now, such as groups. */
  holds(look: Look): Map<string, string>;
}

const named = (values: Record<string, number>, above: number, sentence: (name: string, value: number) => string) =>
  new Map(
    Object.entries(values).flatMap(([name, value]) => (value > above ? [[name, sentence(name, value)] as const] : [])),
  );

/** Sums by service, of those that have the metric. */
function sumsOf(replicas: Seen, metric: string): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { service, samples } of replicas) {
    for (const { name, value } of samples) if (name === metric) sums.set(service, (sums.get(service) ?? 0) + value);
  }
  return sums;
}

/**
 * The rules of charts/store/files/alerts/store.yaml that can be told from what the console reads; a test compares both. The others
 * need Prometheus: they look at the gateway, at Kafka, at PostgreSQL or at days.
 */
export const rules: Rule[] = [
  {
    name: 'StoreComponentUnavailable',
    severity: 'critical',
    forSeconds: 120,
    holds({ replicas }) {
      const up = new Set(replicas.filter(({ state }) => state !== 'GONE').map(({ service }) => service));
      const gone = replicas.filter(({ service }) => !up.has(service));
      return new Map(gone.map(({ service }) => [service, `No replica of ${service} answers`]));
    },
  },
  {
    name: 'StoreSessionsStale',
    severity: 'critical',
    forSeconds: 120,
    holds: (look) =>
      (look.risenAtMost(120).get('stale') ?? 0) > 0
        ? new Map([['', 'Tokens of ended sessions may be accepted']])
        : new Map(),
  },
  {
    name: 'StoreDeadLetters',
    severity: 'warning',
    forSeconds: 0,
    holds: ({ replicas }) =>
      named(openLetters(replicas), 0, (group, count) => `${group} has open dead letters: ${count}`),
  },
  {
    name: 'StoreOrdersTimedOut',
    severity: 'warning',
    forSeconds: 0,
    holds(look) {
      const count = look.risenAtMost(900).get('timedOut') ?? 0;
      const sentence = `${count} orders were cancelled within 15 minutes because they were PENDING for too long`;
      return count > 0 ? new Map([['', sentence]]) : new Map();
    },
  },
  {
    name: 'StoreConsumerLag',
    severity: 'warning',
    forSeconds: 600,
    holds: ({ lag }) => named(lag, 1_000, (group, value) => `${group} is ${value} messages behind`),
  },
  {
    name: 'StoreConsumerStuck',
    severity: 'critical',
    forSeconds: 600,
    holds({ lag, risen }) {
      const handled = risen(600);
      if (handled === undefined) return new Map();
      const idle = Object.entries(lag).filter(([group]) => (handled.get(`handled ${group}`) ?? 0) === 0);
      return named(Object.fromEntries(idle), 0, (group) => `${group} has messages but handles none`);
    },
  },
  {
    name: 'StoreConsumerNotInGroup',
    severity: 'critical',
    forSeconds: 180,
    holds({ replicas, lag }) {
      if (Object.keys(lag).length === 0) return new Map();
      return new Map(
        replicas.flatMap(({ address, samples }) =>
          samples
            .filter(({ name, value }) => name === 'consumer_group_member' && value === 0)
            .map(({ labels }) => [
              `${address} ${labels.group}`,
              `${address} is not in ${labels.group}, although Kafka answers others`,
            ]),
        ),
      );
    },
  },
  {
    name: 'StoreLagUnknown',
    severity: 'critical',
    forSeconds: 300,
    holds: ({ replicas, lag }) =>
      sumsOf(replicas, 'outbox_relay_active').size > 0 && Object.keys(lag).length === 0
        ? new Map([['', 'Kafka does not answer the services']])
        : new Map(),
  },
  {
    name: 'StoreOutboxAge',
    severity: 'critical',
    forSeconds: 60,
    holds: ({ outbox }) =>
      named(
        outbox,
        60,
        (service, age) => `An event of ${service} has been waiting for ${Math.round(age)} s to be published`,
      ),
  },
  {
    name: 'StoreRelayInactive',
    severity: 'critical',
    forSeconds: 120,
    holds: ({ replicas }) =>
      new Map(
        [...sumsOf(replicas, 'outbox_relay_active')]
          .filter(([, active]) => active < 1)
          .map(([service]) => [service, `Nobody publishes the events of ${service}`]),
      ),
  },
];

/** Counts open dead letters by group: each replica reports all of its group. */
function openLetters(replicas: Seen): Record<string, number> {
  const samples = replicas.flatMap((replica) => replica.samples);
  return Object.fromEntries(highest(samples, 'dead_letters_open', ({ group = '' }) => group));
}

/** Remembers since when the condition of each rule holds. */
export function createAlerts() {
  let holding = new Map<string, Alert & { firesAt: number }>();
  return {
    look(at: number, look: Look): void {
      const now: typeof holding = new Map();
      for (const { name, severity, forSeconds, holds } of rules) {
        for (const [subject, summary] of holds(look)) {
          const key = `${name} ${subject}`;
          const since = holding.get(key)?.since ?? at;
          now.set(key, { name, severity, summary, since, firesAt: since + forSeconds * 1_000 });
        }
      }
      holding = now;
    },
    /** Those whose condition has held for long enough, the critical ones first. */
    firing: (at: number): Alert[] =>
      [...holding.values()]
        .filter(({ firesAt }) => firesAt <= at)
        .map(({ firesAt: _, ...alert }) => alert)
        .sort((a, b) => a.severity.localeCompare(b.severity) || a.since - b.since),
  };
}
