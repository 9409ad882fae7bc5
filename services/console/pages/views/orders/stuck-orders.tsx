import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { useLive } from '../../api/live.ts';
import { ageOf } from '../../parts/clock.ts';
import { Badge, money, Problem, Time } from '../../parts/parts.tsx';

/** Orders that are PENDING for too long, page by page. */
export function StuckOrders() {
  const [after, setAfter] = useState<string>();
  const ask = () => call('get', '/api/stuck-orders', { query: { after } });
  const { data, problem } = useLive(`stuck ${after}`, ask, { everyMs: 5_000 });
  return (
    <section class="card" aria-label="Stuck orders">
      <h2>Stuck orders{data && `: ${data.total >= 10_000 ? 'at least 10,000' : data.total}`}</h2>
      <Problem text={problem} />
      {data?.orders.length === 0 && <p class="verdict good">No order is PENDING for longer than a minute.</p>}
      {data !== undefined && data.orders.length > 0 && (
        <table>
          <thead>
            <tr>
              <th>Order</th>
              <th>Status</th>
              <th>Age</th>
              <th>Placed</th>
              <th>Total</th>
            </tr>
          </thead>
          <tbody>
            {data.orders.map(({ id, status, createdAt, total }) => (
              <tr key={id}>
                <th scope="row">
                  <a href={`#/orders/${id}`}>
                    <code>{id}</code>
                  </a>
                </th>
                <td data-label="Status">
                  <Badge text={status} />
                </td>
                <td data-label="Age">{ageOf(createdAt)}</td>
                <td data-label="Placed">
                  <Time at={createdAt} />
                </td>
                <td data-label="Total">{money(total)}</td>
              </tr>
            ))}
          </tbody>
        </table>
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
