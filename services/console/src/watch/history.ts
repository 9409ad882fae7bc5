import { createAlerts } from './alerts.ts';
import type { Replica } from './replicas-client.ts';
import { highest, quantile, totalsOf } from './sample.ts';

/** From one look to the next. */
export const everyMs = 5_000;
const keptMs = 15 * 60_000;
/** Times to CONFIRMED are those of the last minute: of five seconds they would be too few. */
const quantileSeconds = 60;
export const outcomes = ['placed', 'confirmed', 'rejected', 'timedOut', 'refused', 'failed'] as const;
export type Outcome = (typeof outcomes)[number];

export interface Point {
  /** Milliseconds since 1970. */
  at: number;
  /** Per second, since the point before. */
  rates: Record<Outcome, number>;
  /** Seconds, of the orders that were confirmed within the last minute; null without any. */
  p50: number | null;
  p95: number | null;
  /** Messages, by group. */
  lag: Record<string, number>;
  /** Seconds, by service; 0 if nothing waits. */
  outbox: Record<string, number>;
  /** Open dead letters of the groups that have answered, and orders that are PENDING for too long; null if nobody has. */
  letters: number | null;
  stuck: number | null;
}

/** Numbers that services count themselves. */
export type Counted = Pick<Point, 'letters' | 'stuck'> & { problems: string[] };

export interface ReplicaState extends Omit<Replica, 'samples'> {
  service: string;
  /** Since when it has been in that state: milliseconds since 1970. */
  since: number;
  /** It was in that state when it was first looked at, and may have been before. */
  orBefore: boolean;
}

export type History = ReturnType<typeof createHistory>;

/** Keeps what the last 15 minutes of looks have shown. */
export function createHistory() {
  const points: Point[] = [];
  const recent: { at: number; risen: Map<string, number> }[] = [];
  const alerts = createAlerts();
  let problems: string[] = [];
  let totals = new Map<string, Map<string, number>>();
  let states: ReplicaState[] = [];
  let lastAt: number | undefined;

  /** Sums how counters have risen since the look before, of processes that were there. One that restarts begins at 0. */
  function increases(byAddress: Map<string, Map<string, number>>): Map<string, number> {
    const sums = new Map<string, number>();
    for (const [address, current] of byAddress) {
      const before = totals.get(address);
      if (before === undefined) continue;
      for (const [key, value] of current) {
        const previous = before.get(key) ?? 0;
        sums.set(key, (sums.get(key) ?? 0) + (value >= previous ? value - previous : value));
      }
    }
    return sums;
  }

  /** @returns sums over the last seconds */
  function risenWithin(at: number, seconds: number): Map<string, number> {
    const sums = new Map<string, number>();
    for (const one of recent) {
      if (one.at <= at - seconds * 1_000) continue;
      for (const [key, value] of one.risen) sums.set(key, (sums.get(key) ?? 0) + value);
    }
    return sums;
  }

  function add(at: number, replicas: Seen, { problems: missing, ...counted }: Counted = nothingCounted): void {
    const current = new Map(replicas.map(({ address, samples }) => [address, totalsOf(samples)]));
    const risen = increases(current);
    // One that did not answer is compared with its last answer once it does.
    totals = new Map(
      replicas.map(({ address, samples }) => [
        address,
        (samples.length === 0 ? totals.get(address) : undefined) ?? current.get(address) ?? new Map(),
      ]),
    );
    const seconds = lastAt === undefined ? everyMs / 1000 : Math.max((at - lastAt) / 1000, 0.001);
    lastAt = at;
    recent.push({ at, risen });
    while (recent[0] !== undefined && recent[0].at <= at - keptMs) recent.shift();
    const within = confirmedWithin(risenWithin(at, quantileSeconds));
    const [lag, outbox] = [lagOf(replicas), outboxOf(replicas)];
    problems = missing;
    points.push({
      at,
      rates: Object.fromEntries(outcomes.map((name) => [name, (risen.get(name) ?? 0) / seconds])) as Point['rates'],
      p50: quantile(0.5, within) ?? null,
      p95: quantile(0.95, within) ?? null,
      lag,
      outbox,
      ...counted,
    });
    while (points[0] !== undefined && points[0].at <= at - keptMs) points.shift();

    alerts.look(at, {
      replicas,
      lag,
      outbox,
      risenAtMost: (seconds) => risenWithin(at, seconds),
      risen: (seconds) => ((points[0]?.at ?? at) <= at - seconds * 1_000 ? risenWithin(at, seconds) : undefined),
    });

    const before = new Map(states.map((state) => [`${state.service} ${state.address}`, state]));
    states = replicas.map(({ samples: _, ...replica }) => {
      const known = before.get(`${replica.service} ${replica.address}`);
      if (known?.state === replica.state) return { ...replica, since: known.since, orBefore: known.orBefore };
      return { ...replica, since: at, orBefore: known === undefined };
    });
  }

  return {
    add,
    points: () => points,
    states: () => states,
    alerts: () => alerts.firing(lastAt ?? 0),
    /** Names what the last look could not count. */
    problems: () => problems,
  };
}

const nothingCounted: Counted = { letters: null, stuck: null, problems: [] };

export type Seen = (Replica & { service: string })[];

/** By group: the sum over partitions, of which every process that knows the lag reports all. */
function lagOf(replicas: Seen): Point['lag'] {
  const samples = replicas.flatMap((replica) => replica.samples);
  const lag: Point['lag'] = {};
  for (const [key, value] of highest(
    samples,
    'consumer_lag_messages',
    ({ group, partition }) => `${group} ${partition}`,
  )) {
    const group = key.split(' ')[0] ?? '';
    lag[group] = (lag[group] ?? 0) + value;
  }
  return lag;
}

/** By service: that of the replica that publishes. */
function outboxOf(replicas: Seen): Point['outbox'] {
  const ages = replicas.flatMap(({ service, samples }) => [
    ...highest(samples, 'outbox_oldest_unsent_seconds', () => service),
  ]);
  return Object.fromEntries(ages.sort(([, a], [, b]) => a - b));
}

/** How many orders were confirmed within so many seconds. */
function confirmedWithin(risen: Map<string, number>): Map<number, number> {
  const within = new Map<number, number>();
  for (const [key, value] of risen) {
    if (!key.startsWith('within ')) continue;
    within.set(key === 'within +Inf' ? Number.POSITIVE_INFINITY : Number(key.slice('within '.length)), value);
  }
  return within;
}
