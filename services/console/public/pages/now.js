import { useLive } from '../api.js';
import { Chart } from '../chart.js';
import { ageOf, Badge, Problem, Time } from '../parts.js';
import { html, useMemo } from '../vendor/preact.js';

const outcomes = {
  placed: 'placed',
  confirmed: 'confirmed',
  rejected: 'rejected',
  timedOut: 'timed out',
  refused: 'refused (4xx)',
  failed: 'failed (5xx)',
};
const rate = (value) => `${value.toFixed(value < 10 ? 1 : 0)}/s`;
const seconds = (value) => (value < 1 ? `${Math.round(value * 1000)} ms` : `${value.toFixed(1)} s`);
const count = (value) => new Intl.NumberFormat().format(value);

export function Now() {
  const { data, problem } = useLive('/api/now');
  if (data === undefined) return html`<h1>Now</h1><${Problem} text=${problem} />`;
  return html`<h1>Now</h1>
    <${Problem} text=${problem} />
    <${Health} replicas=${data.replicas} />
    <${Charts} points=${data.points} />`;
}

function Health({ replicas }) {
  const ill = replicas.filter(({ state }) => state !== 'UP');
  return html`<section class="card" aria-label="Health">
    <h2>Health</h2>
    <p class=${ill.length === 0 ? 'verdict good' : 'verdict bad'} role="status">
      ${ill.length === 0 ? `All ${replicas.length} processes are ready.` : `${ill.length} of ${replicas.length} processes are not ready.`}
    </p>
    <table>
      <thead>
        <tr><th>Service</th><th>Address</th><th>State</th><th>Since</th><th>Waits for</th></tr>
      </thead>
      <tbody>
        ${[...ill, ...replicas.filter(({ state }) => state === 'UP')].map(
          ({ service, address, state, since, orBefore, waitingFor }) => html`<tr key=${`${service} ${address}`}>
            <th scope="row">${service}</th>
            <td data-label="Address"><code>${address}</code></td>
            <td data-label="State"><${Badge} text=${state} /></td>
            <td data-label="Since"><${Time} at=${since} /> ${orBefore && 'or before '}(${ageOf(since)})</td>
            <td data-label="Waits for">${waitingFor.join(', ') || 'nothing'}</td>
          </tr>`,
        )}
      </tbody>
    </table>
    <p class="note">The console looks every five seconds, and forgets when it restarts. “Or before”: it was so at the first look.</p>
  </section>`;
}

function Charts({ points }) {
  const times = points.map(({ at }) => at);
  const named = (field) => [...new Set(points.flatMap((point) => Object.keys(point[field])))].sort();
  const linesOf = (field) =>
    named(field).map((name) => ({ name, values: points.map((point) => point[field][name] ?? null) }));
  const last = times.at(-1);
  const lines = useMemo(
    () => ({
      times,
      rates: Object.entries(outcomes).map(([key, name]) => ({ name, values: points.map(({ rates }) => rates[key]) })),
      confirmed: [
        { name: 'half of them within', values: points.map(({ p50 }) => p50) },
        { name: '95 % of them within', values: points.map(({ p95 }) => p95) },
      ],
      lag: linesOf('lag'),
      outbox: linesOf('outbox'),
    }),
    [last],
  );
  return html`<div class="charts">
    <${Chart} title="Orders per second" times=${lines.times} lines=${lines.rates} format=${rate} />
    <${Chart} title="Time to CONFIRMED" times=${lines.times} lines=${lines.confirmed} format=${seconds} />
    <${Chart} title="Lag per group (messages)" times=${lines.times} lines=${lines.lag} format=${count} />
    <${Chart} title="Age of the outbox" times=${lines.times} lines=${lines.outbox} format=${seconds} />
  </div>`;
}
