import { useState } from 'preact/hooks';
import { type AnswerTo, call, sentenceOf } from '../api/call.ts';
import { Badge, money, OrderLink, Problem, Search, Time } from '../parts/parts.tsx';
import { Table } from '../parts/table.tsx';
import { Order } from './order.tsx';
import { StuckOrders } from './orders/stuck-orders.tsx';

type Orders = AnswerTo<'searchOrders'>;

/** @param id of the order that is shown; undefined: only the search */
export function Orders({ id }: { id: string | undefined }) {
  const [sought, setSought] = useState('');
  const [found, setFound] = useState<Orders>();
  const [problem, setProblem] = useState<string>();

  async function search() {
    setFound(undefined);
    try {
      const orders = await call('get', '/api/orders', { query: { search: sought.trim() } });
      setProblem(undefined);
      if (orders.length === 1) location.hash = `#/orders/${orders[0]?.id}`;
      else setFound(orders);
    } catch (error) {
      setProblem(sentenceOf(error));
    }
  }

  return (
    <>
      <h1>Orders</h1>
      <Search onSubmit={search}>
        <label for="sought">Order id or e-mail address</label>
        <input
          id="sought"
          value={sought}
          onInput={({ currentTarget }) => setSought(currentTarget.value)}
          autoComplete="off"
          spellcheck={false}
          required
        />
        <button type="submit">Find</button>
      </Search>
      <Problem text={problem} />
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
