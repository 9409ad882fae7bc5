import type { Seen } from './replicas-client.ts';
import { highest, quantile, sums, totalsOf } from './sample.ts';
import type { Point, ReplicaState } from './schemas.ts';

/** Time between two looks at the services. */
export const everyMs = 5_000;
const keptMs = 15 * 60_000;
/** Times to CONFIRMED cover the last minute: five seconds would have too few. */
const quantileMs = 60_000;

/** Numbers that services count themselves. */
export type Counted = Pick<Point, 'letters' | 'stuck'> & { problems: string[] };

export type History = ReturnType<typeof createHistory>;

/** Keeps the observations of the last 15 minutes. */
export function createHistory() {
  const points: Point[] = [];
  const recent: { at: number; risen: Map<string, number> }[] = [];
  let problems: string[] = [];
  let totals = new Map<string, Map<string, number>>();
  let states: ReplicaState[] = [];

  /** Sums the increases of counters since the previous look, of processes seen then. A counter of a restarted process begins at 0. */
  function increases(byAddress: Map<string, Map<string, number>>): Map<string, number> {
    return sums(
      [...byAddress].flatMap(([address, current]) => {
        const before = totals.get(address);
        if (before === undefined) return [];
        return [...current].map(([key, value]) => {
          const previous = before.get(key) ?? 0;
          return [key, value >= previous ? value - previous : value] as const;
        });
      }),
    );
  }

  function add(at: number, replicas: Seen, { problems: missing, ...counted }: Counted = nothingCounted): void {
    const current = new Map(replicas.map(({ address, samples }) => [address, totalsOf(samples)]));
    const risen = increases(current);
    // A process that did not answer is compared with its last answer once it answers again.
    totals = new Map(
      replicas.map(({ address, samples }) => [
        address,
        (samples.length === 0 ? totals.get(address) : undefined) ?? current.get(address) ?? new Map(),
      ]),
    );
    const lastAt = recent.at(-1)?.at;
    const seconds = lastAt === undefined ? everyMs / 1000 : Math.max((at - lastAt) / 1000, 0.001);
    recent.push({ at, risen });
    while (recent[0] !== undefined && recent[0].at <= at - quantileMs) recent.shift();
    const within = confirmedWithin(sums(recent.flatMap((look) => [...look.risen])));
    const rate = (name: string) => (risen.get(name) ?? 0) / seconds;
    problems = missing;
    points.push({
      at,
      rates: {
        placed: rate('placed'),
        confirmed: rate('confirmed'),
        rejected: rate('rejected'),
        timedOut: rate('timedOut'),
        refused: rate('refused'),
        failed: rate('failed'),
      },
      p50: quantile(0.5, within) ?? null,
      p95: quantile(0.95, within) ?? null,
      lag: lagOf(replicas),
      outbox: outboxOf(replicas),
      ...counted,
    });
    while (points[0] !== undefined && points[0].at <= at - keptMs) points.shift();

    const before = new Map(states.map((state) => [`${state.service} ${state.address}`, state]));
    states = replicas.map(({ samples: _, ...replica }) => {
      const known = before.get(`${replica.service} ${replica.address}`);
      if (known?.state === replica.state)
        return { ...replica, since: known.since, sinceIsLowerBound: known.sinceIsLowerBound };
      return { ...replica, since: at, sinceIsLowerBound: known === undefined };
    });
  }

  return {
    add,
    points: () => points,
    states: () => states,
    /** Says what the last look could not count. */
    problems: () => problems,
  };
}

const nothingCounted: Counted = { letters: null, stuck: null, problems: [] };

/** Lag by group: the sum over partitions. Every process that knows the lag reports all partitions. */
function lagOf(replicas: Seen): Point['lag'] {
  const samples = replicas.flatMap((replica) => replica.samples);
  const byPartition = highest(samples, 'consumer_lag_messages', ({ group, partition }) => `${group} ${partition}`);
  return Object.fromEntries(sums([...byPartition].map(([key, lag]) => [key.replace(/ .*/, ''), lag])));
}

/** Age of the outbox by service, from the replica that publishes. */
function outboxOf(replicas: Seen): Point['outbox'] {
  const ages = replicas.flatMap(({ service, samples }) => [
    ...highest(samples, 'outbox_oldest_unsent_seconds', () => service),
  ]);
  return Object.fromEntries(ages.sort(([, a], [, b]) => a - b));
}

/** How many orders were confirmed within a number of seconds, by that number. */
const confirmedWithin = (risen: Map<string, number>) =>
  new Map(
    [...risen].flatMap(([key, count]) => {
      const [, limit] = /^within (.*)$/.exec(key) ?? [];
      return limit === undefined ? [] : [[Number(limit.replace('+Inf', 'Infinity')), count]];
    }),
  );
