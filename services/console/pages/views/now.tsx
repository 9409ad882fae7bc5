import { useQuery } from '@tanstack/preact-query';
import { useMemo } from 'preact/hooks';
import { call } from '../api/call.ts';
import { Chart, type Line } from '../parts/chart.tsx';
import { Answer, Problems } from '../parts/parts.tsx';
import { count, rate, seconds } from '../parts/values.ts';
import { Alerts } from './now/alerts.tsx';
import { Health } from './now/health.tsx';
import { Numbers } from './now/numbers.tsx';
import type { State } from './now/state.ts';

/** As often as the server observes the services. */
const everyMs = 5_000;
const keptMs = 15 * 60_000;

const outcomes = {
  placed: 'placed',
  confirmed: 'confirmed',
  rejected: 'rejected',
  timedOut: 'timed out',
  refused: 'refused (4xx)',
  failed: 'failed (5xx)',
};

/** Requests only what has changed. */
async function ask(before?: State): Promise<State> {
  const { points: known = [], version, replicas = [] } = before ?? {};
  const answer = await call('get', '/api/now', { query: { after: known.at(-1)?.at, version } });
  const points = [...known, ...answer.points];
  const last = points.at(-1)?.at ?? 0;
  return { replicas, ...answer, points: points.filter(({ at }) => at > last - keptMs) };
}

export function Now() {
  const now = useQuery({
    queryKey: ['now'],
    queryFn: ({ client, queryKey }) => ask(client.getQueryData<State>(queryKey)),
    refetchInterval: everyMs,
  });
  return (
    <>
      <h1>Now</h1>
      <Answer of={now}>
        {({ points, problems, alerts, replicas }) => (
          <>
            <Numbers points={points} />
            <Problems texts={problems} />
            <Alerts alerts={alerts} />
            <Health replicas={replicas} />
            <Charts points={points} />
          </>
        )}
      </Answer>
    </>
  );
}

function Charts({ points }: Pick<State, 'points'>) {
  const { times, ...lines } = useMemo(() => linesOf(points), [points]);
  return (
    <div class="charts">
      <Chart title="Orders per second" times={times} lines={lines.rates} format={rate} />
      <Chart title="Time to CONFIRMED" times={times} lines={lines.confirmed} format={seconds} />
      <Chart title="Lag per group (messages)" times={times} lines={lines.lag} format={count} />
      <Chart title="Age of the outbox" times={times} lines={lines.outbox} format={seconds} />
    </div>
  );
}

function linesOf(points: State['points']) {
  const byName = (field: 'lag' | 'outbox'): Line[] =>
    [...new Set(points.flatMap((point) => Object.keys(point[field])))]
      .sort()
      .map((name) => ({ name, values: points.map((point) => point[field][name] ?? null) }));
  return {
    times: points.map(({ at }) => at),
    rates: Object.entries(outcomes).map(([key, name]) => ({
      name,
      values: points.map(({ rates }) => rates[key as keyof typeof outcomes]),
    })),
    confirmed: [
      { name: 'half of them within', values: points.map(({ p50 }) => p50) },
      { name: '95 % of them within', values: points.map(({ p95 }) => p95) },
    ],
    lag: byName('lag'),
    outbox: byName('outbox'),
  };
}
