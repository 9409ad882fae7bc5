import type { Replica } from './replicas-client.ts';
import { highest, quantile, totalsOf } from './sample.ts';

/** From one look to the next. */
export const everyMs = 5_000;
const keptMs = 15 * 60_000;
/** Times to CONFIRMED are those of the last minute: of five seconds they would be too few. */
const quantilePoints = 60_000 / everyMs;
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
}

export interface ReplicaState extends Omit<Replica, 'samples'> {
  service: string;
  /** Since when it has been in that state: milliseconds since 1970. */
  since: number;
  /** It was in that state when it was first looked at, and may have been before. */
  orBefore: boolean;
}

export type History = ReturnType<typeof createHistory>;

/** What the last 15 minutes of looks have shown. */
export function createHistory() {
  const points: Point[] = [];
  const recent: Map<string, number>[] = [];
  let totals = new Map<string, Map<string, number>>();
  let states: ReplicaState[] = [];
  let lastAt: number | undefined;

  /** What the counters have risen by since the look before, of processes that were there. One that restarts begins at 0. */
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

  function add(at: number, replicas: Seen): void {
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
    recent.push(risen);
    if (recent.length > quantilePoints) recent.shift();
    const within = confirmedWithin(recent);
    points.push({
      at,
      rates: Object.fromEntries(outcomes.map((name) => [name, (risen.get(name) ?? 0) / seconds])) as Point['rates'],
      p50: quantile(0.5, within) ?? null,
      p95: quantile(0.95, within) ?? null,
      ...{ lag: lagOf(replicas), outbox: outboxOf(replicas) },
    });
    while (points[0] !== undefined && points[0].at <= at - keptMs) points.shift();

    const before = new Map(states.map((state) => [`${state.service} ${state.address}`, state]));
    states = replicas.map(({ samples: _, ...replica }) => {
      const known = before.get(`${replica.service} ${replica.address}`);
      if (known?.state === replica.state) return { ...replica, since: known.since, orBefore: known.orBefore };
      return { ...replica, since: at, orBefore: known === undefined };
    });
  }

  return { add, points: () => points, states: () => states };
}

type Seen = (Replica & { service: string })[];

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

/** By service: that of the replica whose share of the outbox is oldest. */
function outboxOf(replicas: Seen): Point['outbox'] {
  const ages = replicas.flatMap(({ service, samples }) => [
    ...highest(samples, 'outbox_oldest_unsent_seconds', () => service),
  ]);
  return Object.fromEntries(ages.sort(([, a], [, b]) => a - b));
}

/** How many orders were confirmed within so many seconds. */
function confirmedWithin(recent: Map<string, number>[]): Map<number, number> {
  const within = new Map<number, number>();
  for (const [key, value] of recent.flatMap((one) => [...one])) {
    if (!key.startsWith('within ')) continue;
    const limit = key === 'within +Inf' ? Number.POSITIVE_INFINITY : Number(key.slice('within '.length));
    within.set(limit, (within.get(limit) ?? 0) + value);
  }
  return within;
}
