import { keepPreviousData, useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { ageOf } from '../../parts/clock.ts';
import { Answer, Badge, money, OrderLink, Time } from '../../parts/parts.tsx';
import { Table } from '../../parts/table.tsx';

/** Orders that are PENDING for too long, page by page. */
export function StuckOrders() {
  const [after, setAfter] = useState<string>();
  const page = useQuery({
    queryKey: ['stuck orders', after],
    queryFn: () => call('get', '/api/stuck-orders', { query: { after } }),
    placeholderData: keepPreviousData,
  });
  return (
    <section class="card" aria-label="Stuck orders">
      <h2>Stuck orders{page.data && `: ${page.data.total >= 10_000 ? 'at least 10,000' : page.data.total}`}</h2>
      <Answer of={page}>
        {({ orders, next }) => (
          <>
            <Table
              empty={<p class="verdict good">No order is PENDING for longer than a minute.</p>}
              rows={orders}
              keyOf={({ id }) => id}
              columns={{
                Order: ({ id }) => <OrderLink id={id} />,
                Status: ({ status }) => <Badge text={status} />,
                Age: ({ createdAt }) => ageOf(createdAt),
                Placed: ({ createdAt }) => <Time at={createdAt} />,
                Total: ({ total }) => money(total),
              }}
            />
            {(after !== undefined || next !== null) && (
              <div class="actions">
                {after !== undefined && (
                  <button type="button" class="quiet" onClick={() => setAfter(undefined)}>
                    The oldest
                  </button>
                )}
                {next !== null && (
                  <button type="button" class="quiet" onClick={() => setAfter(next)}>
                    Go on
                  </button>
                )}
              </div>
            )}
          </>
        )}
      </Answer>
    </section>
  );
}
