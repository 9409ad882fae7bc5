import type { Order, OrderEvent } from '@store-platform/client';
import { useEffect, useState } from 'preact/hooks';
import { store } from './store.ts';

export type OrderChange = Omit<OrderEvent, 'id'>;

export interface LiveOrders {
  /** The latest change of each order, by its id. */
  changes: ReadonlyMap<string, OrderChange>;
  /** Grows when changes begin to come, perhaps after some were missed: what was read before may be old. */
  starts: number;
}

/** What was read after a change knows more than the change. */
export const withChange = (order: Order, change: OrderChange | undefined): Order =>
  change && change.changedAt > order.updatedAt ? { ...order, status: change.status } : order;

const none: LiveOrders = { changes: new Map(), starts: 0 };

/** The customer's orders as they change, while the page is open and somebody is logged in. */
export function useLiveOrders(
  accountId: string | undefined,
  onChange: (change: OrderChange) => void,
  onEnd: (error: unknown) => void,
): LiveOrders {
  const [live, setLive] = useState(none);
  useEffect(() => {
    setLive(none);
    if (!accountId) return;
    const stop = new AbortController();
    const { signal } = stop;
    const onStart = () => setLive(({ changes, starts }) => ({ changes, starts: starts + 1 }));
    async function follow(): Promise<void> {
      for await (const change of store.orderEvents({ signal, onStart })) {
        setLive(({ changes, starts }) => ({ changes: new Map(changes).set(change.orderId, change), starts }));
        onChange(change);
      }
    }
    follow().catch((error) => signal.aborted || onEnd(error));
    return () => stop.abort();
  }, [accountId]);
  return live;
}
