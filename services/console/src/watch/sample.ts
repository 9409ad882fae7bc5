export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

/** Names of the metrics that the console reads (contract 1.3). */
export const watchedMetrics = [
  'http_request_duration_seconds_count',
  'order_confirmation_seconds_bucket',
  'order_confirmation_seconds_count',
  'orders_timed_out_total',
  'orders_rejected_total',
  'consumer_lag_messages',
  'outbox_oldest_unsent_seconds',
];

/** Sums by key. */
export function sums(values: (readonly [key: string, value: number])[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const [key, value] of values) sums.set(key, (sums.get(key) ?? 0) + value);
  return sums;
}

/** Totals of counters since the process started, by keys of the console's own. */
export const totalsOf = (samples: Sample[]) =>
  sums(
    samples.flatMap((sample) => {
      const key = keyOf(sample);
      return key === undefined ? [] : [[key, sample.value] as const];
    }),
  );

function keyOf({ name, labels }: Sample): string | undefined {
  if (name === 'order_confirmation_seconds_count') return 'confirmed';
  if (name === 'order_confirmation_seconds_bucket') return `within ${labels.le}`;
  if (name === 'orders_timed_out_total') return 'timedOut';
  if (name === 'orders_rejected_total') return 'rejected';
  if (name !== 'http_request_duration_seconds_count' || labels.method !== 'POST' || labels.route !== '/orders') {
    return undefined;
  }
  if (labels.status === '201') return 'placed';
  return Number(labels.status) >= 500 ? 'failed' : 'refused';
}

/** The highest value by label: every process reports the lag of all groups, and the active relay reports its outbox. */
export function highest(samples: Sample[], name: string, label: (labels: Sample['labels']) => string) {
  const values = new Map<string, number>();
  for (const { name: own, labels, value } of samples) {
    if (own !== name || !Number.isFinite(value)) continue;
    values.set(label(labels), Math.max(values.get(label(labels)) ?? 0, value));
  }
  return values;
}

/**
 * Estimates a quantile as Prometheus does: evenly spread within a bucket.
 * @param within counts of values at or below the upper bound of a bucket, by that bound
 * @returns undefined without values; the largest finite bound if the quantile lies beyond it
 */
export function quantile(share: number, within: Map<number, number>): number | undefined {
  const buckets = [...within].sort(([a], [b]) => a - b);
  const total = buckets.at(-1)?.[1] ?? 0;
  if (total === 0) return undefined;
  const rank = share * total;
  let [lower, below] = [0, 0];
  for (const [limit, count] of buckets) {
    if (count >= rank) {
      if (limit === Number.POSITIVE_INFINITY) return lower;
      return lower + ((limit - lower) * (rank - below)) / (count - below || 1);
    }
    [lower, below] = [limit, count];
  }
  return lower;
}
