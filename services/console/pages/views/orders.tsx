import { useState } from 'preact/hooks';
import { call, sentenceOf } from '../api/call.ts';
import type { operations } from '../generated/schema.ts';
import { Badge, money, Problem, Time } from '../parts/parts.tsx';
import { Order } from './order.tsx';
import { StuckOrders } from './orders/stuck-orders.tsx';

type Orders = operations['searchOrders']['responses'][200]['content']['application/json'];

/** @param id of the order that is shown; undefined: only the search */
export function Orders({ id }: { id: string | undefined }) {
  const [sought, setSought] = useState('');
  const [found, setFound] = useState<Orders>();
  const [problem, setProblem] = useState<string>();

  async function search(event: Event) {
    event.preventDefault();
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
      <search>
        <form class="search" onSubmit={search}>
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
        </form>
      </search>
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
      <table>
        <thead>
          <tr>
            <th>Order</th>
            <th>Status</th>
            <th>Total</th>
            <th>Placed</th>
          </tr>
        </thead>
        <tbody>
          {orders.map(({ id, status, total, createdAt }) => (
            <tr key={id}>
              <th scope="row">
                <a href={`#/orders/${id}`}>
                  <code>{id}</code>
                </a>
              </th>
              <td data-label="Status">
                <Badge text={status} />
              </td>
              <td data-label="Total">{money(total)}</td>
              <td data-label="Placed">
                <Time at={createdAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
