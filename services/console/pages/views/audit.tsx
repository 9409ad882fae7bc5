import type { AnswerTo } from '../api/call.ts';
import type { Live } from '../api/live.ts';
import { Badge, Problem, Problems, Time } from '../parts/parts.tsx';
import { Table } from '../parts/table.tsx';

export function Audit({ data, problem }: Live<AnswerTo<'showAudit'>>) {
  return (
    <section class="card" aria-label="Audit trail">
      <h2>Audit trail</h2>
      <Problem text={problem} />
      <Problems texts={data?.problems} />
      {data && (
        <Table
          empty={<p>Nothing was redriven or discarded.</p>}
          rows={data.entries.slice(0, 100)}
          keyOf={({ at, letterId }) => `${at} ${letterId}`}
          columns={{
            When: ({ at }) => <Time at={at} />,
            Who: ({ requestedBy }) => requestedBy,
            What: ({ outcome }) => <Badge text={outcome} />,
            Group: ({ group }) => group,
            Letter: ({ letterId }) => <code>{letterId}</code>,
            Why: ({ reason }) => reason,
          }}
        />
      )}
    </section>
  );
}
