import { call } from '../api/call.ts';
import { useLive } from '../api/live.ts';
import { Badge, Problem, Time } from '../parts/parts.tsx';

export function Audit({ version }: { version: number }) {
  const ask = () => call('get', '/api/dead-letters/audit', {});
  const { data, problem } = useLive('audit', ask, { everyMs: 5_000, version });
  return (
    <section class="card" aria-label="Audit trail">
      <h2>Audit trail</h2>
      <Problem text={problem} />
      {data?.problems.map((text) => (
        <Problem key={text} text={text} />
      ))}
      {data?.entries.length === 0 && <p>Nothing was redriven or discarded.</p>}
      {data !== undefined && data.entries.length > 0 && (
        <table>
          <thead>
            <tr>
              <th>When</th>
              <th>Who</th>
              <th>What</th>
              <th>Group</th>
              <th>Letter</th>
              <th>Why</th>
            </tr>
          </thead>
          <tbody>
            {data.entries.slice(0, 100).map(({ at, requestedBy, outcome, group, letterId, reason }) => (
              <tr key={`${at} ${letterId}`}>
                <th scope="row">
                  <Time at={at} />
                </th>
                <td data-label="Who">{requestedBy}</td>
                <td data-label="What">
                  <Badge text={outcome} />
                </td>
                <td data-label="Group">{group}</td>
                <td data-label="Letter">
                  <code>{letterId}</code>
                </td>
                <td data-label="Why">{reason ?? ''}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
