import { useLive } from '../api.js';
import { Badge, Problem, Time } from '../parts.js';
import { html } from '../vendor/preact.js';

export function Audit({ version }) {
  const { data, problem } = useLive('/api/dead-letters/audit', { everyMs: 5_000, version });
  return html`<section class="card" aria-label="Audit trail">
    <h2>Audit trail</h2>
    <${Problem} text=${problem} />
    ${data?.problems.map((text) => html`<${Problem} text=${text} />`)}
    ${data?.entries.length === 0 && html`<p>Nothing was redriven or discarded.</p>`}
    ${
      data?.entries.length > 0 &&
      html`<table>
      <thead><tr><th>When</th><th>Who</th><th>What</th><th>Group</th><th>Letter</th><th>Why</th></tr></thead>
      <tbody>
        ${data.entries.slice(0, 100).map(
          ({ at, requestedBy, outcome, group, letterId, reason }) => html`<tr>
            <th scope="row"><${Time} at=${at} /></th>
            <td data-label="Who">${requestedBy}</td>
            <td data-label="What"><${Badge} text=${outcome} /></td>
            <td data-label="Group">${group}</td>
            <td data-label="Letter"><code>${letterId}</code></td>
            <td data-label="Why">${reason ?? ''}</td>
          </tr>`,
        )}
      </tbody>
    </table>`
    }
  </section>`;
}
