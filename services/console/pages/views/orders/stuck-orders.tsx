import { keepPreviousData, useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { Paging } from '../../parts/paging.tsx';
import { Answer } from '../../parts/parts.tsx';
import { OrderTable } from './order-table.tsx';

/** Orders that have been PENDING for too long, page by page. */
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
            <OrderTable
              orders={orders}
              empty={<p class="verdict good">No order is PENDING for longer than a minute.</p>}
            />
            <Paging
              first={after === undefined ? undefined : () => setAfter(undefined)}
              next={next === null ? undefined : () => setAfter(next)}
            />
          </>
        )}
      </Answer>
    </section>
  );
}
