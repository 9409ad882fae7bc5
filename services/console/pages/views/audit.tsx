import { call } from '../api/call.ts';
import { useLive } from '../api/live.ts';
import { Badge, Problem, Problems, Time } from '../parts/parts.tsx';
import { Table } from '../parts/table.tsx';

export function Audit({ version }: { version: number }) {
  const ask = () => call('get', '/api/dead-letters/audit', {});
  const { data, problem } = useLive('audit', ask, { everyMs: 5_000, version });
  return (
    <section class="card" aria-label="Audit trail">
      <h2>Audit trail</h2>
      <Problem text={problem} />
      <Problems texts={data?.problems} />
      {data && (
        <Table
          empty={<p>Nothing was redriven or discarded.</p>}
          columns={['When', 'Who', 'What', 'Group', 'Letter', 'Why']}
          rows={data.entries.slice(0, 100)}
          keyOf={({ at, letterId }) => `${at} ${letterId}`}
          cells={({ at, requestedBy, outcome, group, letterId, reason }) => [
            <Time key="when" at={at} />,
            requestedBy,
            <Badge key="what" text={outcome} />,
            group,
            <code key="letter">{letterId}</code>,
            reason,
          ]}
        />
      )}
    </section>
  );
}
