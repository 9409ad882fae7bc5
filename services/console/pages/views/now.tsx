import { useMemo } from 'preact/hooks';
import { call } from '../api/call.ts';
import { useLive } from '../api/live.ts';
import type { operations } from '../api/schema.ts';
import { Chart, type Line } from '../parts/chart.tsx';
import { ageOf, Badge, Problem, Time } from '../parts/parts.tsx';

type State = operations['showNow']['responses'][200]['content']['application/json'];

const outcomes = {
  placed: 'placed',
  confirmed: 'confirmed',
  rejected: 'rejected',
  timedOut: 'timed out',
  refused: 'refused (4xx)',
  failed: 'failed (5xx)',
};
const rate = (value: number) => `${value.toFixed(value < 10 ? 1 : 0)}/s`;
const seconds = (value: number) => (value < 1 ? `${Math.round(value * 1000)} ms` : `${value.toFixed(1)} s`);
const count = (value: number) => new Intl.NumberFormat().format(value);

export function Now() {
  const { data, problem } = useLive('now', () => call('get', '/api/now', {}));
  return (
    <>
      <h1>Now</h1>
      <Problem text={problem} />
      {data && <Health replicas={data.replicas} />}
      {data && <Charts points={data.points} />}
    </>
  );
}

function Health({ replicas }: Pick<State, 'replicas'>) {
  const ill = replicas.filter(({ state }) => state !== 'UP');
  return (
    <section class="card" aria-label="Health">
      <h2>Health</h2>
      <p class={ill.length === 0 ? 'verdict good' : 'verdict bad'} role="status">
        {ill.length === 0
          ? `All ${replicas.length} processes are ready.`
          : `${ill.length} of ${replicas.length} processes are not ready.`}
      </p>
      <table>
        <thead>
          <tr>
            <th>Service</th>
            <th>Address</th>
            <th>State</th>
            <th>Since</th>
            <th>Waits for</th>
          </tr>
        </thead>
        <tbody>
          {[...ill, ...replicas.filter(({ state }) => state === 'UP')].map(
            ({ service, address, state, since, orBefore, waitingFor }) => (
              <tr key={`${service} ${address}`}>
                <th scope="row">{service}</th>
                <td data-label="Address">
                  <code>{address}</code>
                </td>
                <td data-label="State">
                  <Badge text={state} />
                </td>
                <td data-label="Since">
                  <Time at={since} /> {orBefore && 'or before '}({ageOf(since)})
                </td>
                <td data-label="Waits for">{waitingFor.join(', ') || 'nothing'}</td>
              </tr>
            ),
          )}
        </tbody>
      </table>
      <p class="note">
        The console looks every five seconds, and forgets when it restarts. “Or before”: it was so at the first look.
      </p>
    </section>
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
