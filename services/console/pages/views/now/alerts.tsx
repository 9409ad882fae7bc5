import { ageOf } from '../../parts/clock.ts';
import { Badge, Time } from '../../parts/parts.tsx';
import { Runbook } from './runbook.tsx';
import type { State } from './state.ts';

/** Shows what fires and what to do about it, or the numbers that the console sees. */
export const Alerts = ({ alerts: { tone, verdict, items } }: Pick<State, 'alerts'>) => (
  <section class="card alerts" aria-label="Alerts">
    <h2>Alerts</h2>
    <p class={`verdict ${tone}`}>{verdict}</p>
    <ul>
      {items.map(({ name, text, severity, since, page, runbook, runbookUrl }) => (
        <li key={`${name} ${text}`}>
          {severity && <Badge text={severity} />} <strong>{text}</strong>
          {since && (
            <p class="note">
              {name}, since <Time at={since} /> ({ageOf(since)})
            </p>
          )}{' '}
          {page && <a href={`#/${page}`}>Show the {page.replace('-', ' ')}</a>}
          {runbook && <Runbook name={runbook} />}
          {runbookUrl && <a href={runbookUrl}>Runbook {name}</a>}
        </li>
      ))}
    </ul>
  </section>
);
