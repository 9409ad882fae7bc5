import { useState } from 'preact/hooks';
import { useActs } from '../api/acts.ts';
import { type AnswerTo, call } from '../api/call.ts';
import { Search } from '../parts/form.tsx';
import { Badge, money, OrderLink, Outcome, Time } from '../parts/parts.tsx';
import { Table } from '../parts/table.tsx';
import { Order } from './order.tsx';
import { StuckOrders } from './orders/stuck-orders.tsx';

type Orders = AnswerTo<'searchOrders'>;

/** @param id of the order that is shown; undefined: only the search */
export function Orders({ id }: { id: string | undefined }) {
  const [found, setFound] = useState<Orders>();
  const { act, said } = useActs();

  async function find(search: string) {
    setFound(undefined);
    const orders = await call('get', '/api/orders', { query: { search } });
    if (orders.length === 1) location.hash = `#/orders/${orders[0]?.id}`;
    else setFound(orders);
  }

  return (
    <>
      <h1>Orders</h1>
      <Search label="Order id or e-mail address" button="Find" onSearch={(sought) => act(() => find(sought))} />
      <Outcome said={said} />
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
