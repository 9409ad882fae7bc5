import { ageOf } from '../../parts/clock.ts';
import { Badge, Time } from '../../parts/parts.tsx';
import { Table } from '../../parts/table.tsx';
import type { State } from './state.ts';

/** A summary that opens to a row for each process. */
export function Health({ replicas }: Pick<State, 'replicas'>) {
  const ill = replicas.filter(({ state }) => state !== 'UP');
  const isWell = replicas.length > 0 && ill.length === 0;
  const names = [...new Set(ill.map(({ service }) => service))].join(', ');
  const rows = [...ill, ...replicas.filter(({ state }) => state === 'UP')];
  return (
    <details class="card health">
      <summary>
        <span class={isWell ? 'verdict good' : 'verdict bad'} role="status">
          {replicas.length === 0 && 'The console has not looked at any process yet.'}
          {isWell && `All ${replicas.length} processes are ready.`}
          {ill.length > 0 && `${ill.length} of ${replicas.length} processes are not ready: ${names}.`}
        </span>
      </summary>
      <Table
        rows={rows}
        keyOf={({ service, address }) => `${service} ${address}`}
        columns={{
          Service: ({ service }) => service,
          Address: ({ address }) => <code>{address}</code>,
          State: ({ state }) => <Badge text={state} />,
          Since: ({ since, sinceIsLowerBound }) => (
            <>
              <Time at={since} /> {sinceIsLowerBound && 'or before '}({ageOf(since)})
            </>
          ),
          'Waits for': ({ waitingFor }) => waitingFor.join(', ') || 'nothing',
        }}
      />
      <p class="note">
        The console checks every five seconds and starts over when it restarts. “Or before”: it was so at the first
        check.
      </p>
    </details>
  );
}
