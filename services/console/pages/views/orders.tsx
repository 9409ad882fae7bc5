import { useQuery } from '@tanstack/preact-query';
import { useEffect } from 'preact/hooks';
import { type AnswerTo, call } from '../api/call.ts';
import { Search } from '../parts/form.tsx';
import { Answer, Problems } from '../parts/parts.tsx';
import { Order } from './order.tsx';
import { OrderList } from './orders/order-list.tsx';
import { OrderTable } from './orders/order-table.tsx';
import { StuckOrders } from './orders/stuck-orders.tsx';

interface OrdersProps {
  /** Id of the shown order. */
  id: string | undefined;
  /** The search text, or the filters of the list. */
  query: URLSearchParams;
}

export function Orders({ id, query }: OrdersProps) {
  const sought = query.get('sought') ?? undefined;
  return (
    <>
      <h1>Orders</h1>
      <Search
        label="Order, invoice, name or e-mail address"
        button="Find"
        onSearch={(text) => {
          location.hash = `#/orders?${new URLSearchParams({ sought: text })}`;
        }}
      />
      {id !== undefined && <Order id={id} key={id} />}
      {id === undefined && sought !== undefined && <Found sought={sought} key={sought} />}
      {id === undefined && sought === undefined && (
        <>
          {query.size === 0 && <StuckOrders />}
          <OrderList query={query} />
        </>
      )}
    </>
  );
}

/** Results of a search. They replace the previous content even if nothing is found. */
function Found({ sought }: { sought: string }) {
  const search = useQuery({
    queryKey: ['order search', sought],
    queryFn: () => call('get', '/api/order-search', { query: { sought } }),
    refetchInterval: false,
  });
  const only = search.data && onlyOf(search.data);
  useEffect(() => {
    // Replace the search in the browser's history; otherwise “back” would lead to it and return here at once.
    if (only !== undefined) location.replace(only);
  }, [only]);
  return (
    <Answer of={search}>
      {({ orders, customers, problems }) => (
        <>
          <Problems texts={problems} />
          {orders.length + customers.length + problems.length === 0 && <p role="status">No order was found.</p>}
          {orders.length > 0 && (
            <section class="card" aria-label="Orders found">
              <h2>Orders</h2>
              <OrderTable orders={orders} />
            </section>
          )}
          {customers.length > 0 && (
            <section class="card" aria-label="Customers found">
              <h2>Customers</h2>
              <ul>
                {customers.map(({ id, name, email }) => (
                  <li key={id}>
                    <a href={`#/orders?customer=${id}`}>
                      <bdi>{name}</bdi>
                    </a>{' '}
                    <bdi>{email}</bdi>
                  </li>
                ))}
              </ul>
            </section>
          )}
        </>
      )}
    </Answer>
  );
}

/** Address of the order or customer if exactly one was found. */
function onlyOf({ orders, customers }: AnswerTo<'searchOrders'>): string | undefined {
  if (orders.length + customers.length !== 1) return undefined;
  const [order] = orders;
  return order === undefined ? `#/orders?customer=${customers[0]?.id}` : `#/orders/${order.id}`;
}
