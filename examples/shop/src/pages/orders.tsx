import type { Order } from '@store-platform/client';
import { useEffect, useState } from 'preact/hooks';
import { Failure } from '../parts/failure.tsx';
import { OrderStatus, shortId, when } from '../parts/order-status.tsx';
import { Paused } from '../parts/paused.tsx';
import { ShowMore } from '../parts/show-more.tsx';
import { useShop } from '../shop/context.ts';
import { useEndless } from '../shop/endless.ts';
import { withChange } from '../shop/live-orders.ts';
import { useLookAgain } from '../shop/look-again.ts';
import { money } from '../shop/money.ts';
import { store } from '../shop/store.ts';

const pageSize = 20;

async function* readOrders(signal: AbortSignal): AsyncGenerator<readonly Order[]> {
  for await (const { content } of store.pages('listOrders', { query: { size: pageSize } }, { signal })) yield content;
}

export function OrdersPage() {
  const { live, explain } = useShop();
  const [looks, setLooks] = useState(0);
  const list = useEndless<Order>(readOrders, pageSize, { since: live.starts + looks });
  const look = () => setLooks((before) => before + 1);
  const failed = list.error !== undefined;
  useLookAgain(live.paused !== undefined && !list.busy && !failed, () => {
    // Reading again would shrink a longer list to its first page.
    if (list.items.length <= pageSize) look();
  });
  useEffect(() => {
    if (failed && live.paused === undefined) look();
  }, [live.paused]);
  return (
    <>
      <h1 tabIndex={-1}>Orders</h1>
      <Paused />
      <Failure sentence={list.error === undefined ? undefined : explain(list.error)} onRetry={() => void list.next()} />
      {list.items.length === 0 && list.busy && <p class="waiting">One moment…</p>}
      {list.items.length === 0 && !list.more && <p>You have not ordered anything yet.</p>}
      <ul class="orders" aria-busy={list.busy}>
        {list.items.map((order) => (
          <li key={order.id}>
            <a class="order-link" href={`#/orders/${order.id}`}>
              <span class="order-id">Order {shortId(order.id)}</span>
              <span class="order-when">
                {when(order.createdAt)} · {order.items.length === 1 ? '1 product' : `${order.items.length} products`}
              </span>
              <OrderStatus order={withChange(order, live.changes.get(order.id))} />
              <span class="order-total">{money(order.total.amount, order.total.currency)}</span>
            </a>
          </li>
        ))}
      </ul>
      <ShowMore list={list} />
    </>
  );
}
