import { useMutation } from '@tanstack/preact-query';
import { type AnswerTo, call } from '../api/call.ts';
import { Search } from '../parts/form.tsx';
import { Badge, Loading, money, OrderLink, Outcome, Time } from '../parts/parts.tsx';
import { Table } from '../parts/table.tsx';
import { Order } from './order.tsx';
import { StuckOrders } from './orders/stuck-orders.tsx';

type Orders = AnswerTo<'searchOrders'>;

/** @param id of the order that is shown; undefined: only the search */
export function Orders({ id }: { id: string | undefined }) {
  const search = useMutation({
    mutationFn: (sought: string) => call('get', '/api/orders', { query: { search: sought } }),
    onSuccess: (orders) => {
      if (orders.length === 1) location.hash = `#/orders/${orders[0]?.id}`;
    },
  });
  const found = search.data?.length === 1 ? undefined : search.data;

  return (
    <>
      <h1>Orders</h1>
      <Search label="Order id or e-mail address" button="Find" onSearch={search.mutate} />
      {search.isPending && <Loading />}
      <Outcome of={search} />
      {found && <Found orders={found} />}
      {id === undefined ? <StuckOrders /> : <Order id={id} key={id} />}
    </>
  );
}

function Found({ orders }: { orders: Orders }) {
  if (orders.length === 0) return <p role="status">No order was found.</p>;
  return (
    <section class="card" aria-label="Orders found">
      <h2>{orders.length} orders</h2>
      <Table
        rows={orders}
        keyOf={({ id }) => id}
        columns={{
          Order: ({ id }) => <OrderLink id={id} />,
          Status: ({ status }) => <Badge text={status} />,
          Total: ({ total }) => money(total),
          Placed: ({ createdAt }) => <Time at={createdAt} />,
        }}
      />
    </section>
  );
}
