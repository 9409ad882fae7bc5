import { useQuery } from '@tanstack/preact-query';
import { call } from '../api/call.ts';
import { Answer, Badge, Problems, Time } from '../parts/parts.tsx';
import { Table } from '../parts/table.tsx';

/** Decisions about dead letters. */
export function Audit() {
  const trail = useQuery({
    queryKey: ['decisions'],
    queryFn: () => call('get', '/api/dead-letters/audit', {}),
  });
  return (
    <section class="card" aria-label="Audit trail">
      <h2>Audit trail</h2>
      <Answer of={trail}>
        {({ problems, entries }) => (
          <>
            <Problems texts={problems} />
            <Table
              empty={problems.length === 0 && <p>Nothing was redriven or discarded.</p>}
              rows={entries}
              keyOf={({ at, letterId }) => `${at} ${letterId}`}
              columns={{
                When: ({ at }) => <Time at={at} />,
                Who: ({ requestedBy }) => <bdi>{requestedBy}</bdi>,
                What: ({ outcome }) => <Badge text={outcome} />,
                Group: ({ group }) => group,
                Letter: ({ letterId }) => <code>{letterId}</code>,
                Why: ({ reason }) => <bdi>{reason}</bdi>,
              }}
            />
          </>
        )}
      </Answer>
    </section>
  );
}
