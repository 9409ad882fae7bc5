import { ageOf } from '../../parts/clock.ts';
import { Badge, Time } from '../../parts/parts.tsx';
import type { State } from '../now.tsx';

/** One row; it opens to a row for each process. */
export function Health({ replicas }: Pick<State, 'replicas'>) {
  const ill = replicas.filter(({ state }) => state !== 'UP');
  const names = [...new Set(ill.map(({ service }) => service))].join(', ');
  const rows = [...ill, ...replicas.filter(({ state }) => state === 'UP')];
  return (
    <details class="card health">
      <summary>
        <span class={ill.length === 0 ? 'verdict good' : 'verdict bad'} role="status">
          {ill.length === 0
            ? `All ${replicas.length} processes are ready.`
            : `${ill.length} of ${replicas.length} processes are not ready: ${names}.`}
        </span>
      </summary>
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
          {rows.map(({ service, address, state, since, orBefore, waitingFor }) => (
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
          ))}
        </tbody>
      </table>
      <p class="note">
        The console looks every five seconds, and forgets when it restarts. “Or before”: it was so at the first look.
      </p>
    </details>
  );
}
