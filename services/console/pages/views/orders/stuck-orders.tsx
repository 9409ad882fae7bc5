import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { useLive } from '../../api/live.ts';
import { ageOf } from '../../parts/clock.ts';
import { Badge, money, OrderLink, Problem, Time } from '../../parts/parts.tsx';
import { Table } from '../../parts/table.tsx';

/** Orders that are PENDING for too long, page by page. */
export function StuckOrders() {
  const [after, setAfter] = useState<string>();
  const ask = () => call('get', '/api/stuck-orders', { query: { after } });
  const { data, problem } = useLive(`stuck ${after}`, ask, 5_000);
  return (
    <section class="card" aria-label="Stuck orders">
      <h2>Stuck orders{data && `: ${data.total >= 10_000 ? 'at least 10,000' : data.total}`}</h2>
      <Problem text={problem} />
      {data && (
        <Table
          empty={<p class="verdict good">No order is PENDING for longer than a minute.</p>}
          rows={data.orders}
          keyOf={({ id }) => id}
          columns={{
            Order: ({ id }) => <OrderLink id={id} />,
            Status: ({ status }) => <Badge text={status} />,
            Age: ({ createdAt }) => ageOf(createdAt),
            Placed: ({ createdAt }) => <Time at={createdAt} />,
            Total: ({ total }) => money(total),
          }}
        />
      )}
      {data !== undefined && (after !== undefined || data.next !== null) && (
        <div class="actions">
          {after !== undefined && (
            <button type="button" class="quiet" onClick={() => setAfter(undefined)}>
              The oldest
            </button>
          )}
          {data?.next && (
            <button type="button" class="quiet" onClick={() => setAfter(data.next ?? undefined)}>
              Go on
            </button>
          )}
        </div>
      )}
    </section>
  );
}
