import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { ageOf } from '../../parts/clock.ts';
import { Answer, Badge, Time } from '../../parts/parts.tsx';
import type { State } from './state.ts';

/** Sections of the pages of docs/runbooks as HTML, by their headings; loaded once one is opened (vite.config.ts). */
const pages = import.meta.glob<Record<string, string>>('../../../../../docs/runbooks/*.md', { import: 'default' });

async function runbookOf(alert: string): Promise<string> {
  const sections = await Promise.all(Object.values(pages).map((load) => load()));
  return sections.find((one) => Object.hasOwn(one, alert))?.[alert] ?? '';
}

/** Shows firing alerts, and what to do about them. */
export function Alerts({ alerts }: Pick<State, 'alerts'>) {
  return (
    <section class="card alerts" aria-label="Alerts">
      <h2>Alerts</h2>
      {alerts.length === 0 && <p class="verdict good">No alert that the console can check is firing.</p>}
      <ul>
        {alerts.map(({ name, severity, summary, since }) => (
          <li key={`${name} ${summary}`}>
            <Badge text={severity} /> <strong>{summary}</strong>
            <p class="note">
              {name}, since <Time at={since} /> ({ageOf(since)})
            </p>
            {name === 'StoreOrdersStuck' && <a href="#/orders">Show the stuck orders</a>}
            {name === 'StoreDeadLetters' && <a href="#/dead-letters">Show the dead letters</a>}
            <Runbook name={name} />
          </li>
        ))}
      </ul>
      <p class="note">
        From what the console sees of the services. Alerts on the gateway, Kafka, PostgreSQL and the error budgets need
        Prometheus.
      </p>
    </section>
  );
}

function Runbook({ name }: { name: string }) {
  const [isOpen, setOpen] = useState(false);
  const runbook = useQuery({
    queryKey: ['runbook', name],
    queryFn: () => runbookOf(name),
    enabled: isOpen,
    staleTime: 'static',
    refetchInterval: false,
  });
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Runbook {name}</summary>
      {isOpen && (
        <Answer of={runbook}>{(html) => <div class="runbook" dangerouslySetInnerHTML={{ __html: html }} />}</Answer>
      )}
    </details>
  );
}
