import { useState } from 'preact/hooks';
import { ageOf } from '../../parts/clock.ts';
import { Badge, Problem, Time } from '../../parts/parts.tsx';
import type { State } from './state.ts';

const pages = import.meta.glob<string>('../../../../../docs/runbooks/*.md', { query: '?raw', import: 'default' });

/** Finds the section of an alert in the pages of docs/runbooks, which are loaded once one is opened. */
async function runbookOf(alert: string): Promise<string | undefined> {
  const texts = await Promise.all(Object.values(pages).map((load) => load()));
  return texts.flatMap((text) => text.split(/^(?=## )/m)).find((section) => section.startsWith(`## ${alert}\n`));
}

/** Shows what fires, and what to do about it. */
export function Alerts({ alerts }: Pick<State, 'alerts'>) {
  return (
    <section class="card alerts" aria-label="Alerts">
      <h2>Alerts</h2>
      {alerts.length === 0 && <p class="verdict good">None of those that the console can tell fires.</p>}
      <ul>
        {alerts.map(({ name, severity, summary, since }) => (
          <li key={`${name} ${summary}`}>
            <Badge text={severity} /> <strong>{summary}</strong>
            <p class="note">
              {name}, since <Time at={since} /> ({ageOf(since)})
            </p>
            {name === 'StuckOrders' ? <a href="#/orders">To the stuck orders</a> : <Runbook name={name} />}
          </li>
        ))}
      </ul>
      <p class="note">
        Told from what the console sees of the services. Alerts on the gateway, Kafka, PostgreSQL and the error budgets
        need Prometheus.
      </p>
    </section>
  );
}

function Runbook({ name }: { name: string }) {
  const [text, setText] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const open = () => runbookOf(name).then(setText, () => setProblem('The runbook cannot be loaded.'));
  return (
    <details onToggle={open}>
      <summary>Runbook {name}</summary>
      <Problem text={problem} />
      {text !== undefined && <pre class="runbook">{text}</pre>}
    </details>
  );
}
