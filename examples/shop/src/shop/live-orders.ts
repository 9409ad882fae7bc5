import { type Order, type OrderEvent, StoreProblem } from '@store-platform/client';
import { useEffect, useState } from 'preact/hooks';
import { store } from './store.ts';

export type OrderChange = Omit<OrderEvent, 'id'>;

/** The latest change of each order, by its id. */
export type OrderChanges = ReadonlyMap<string, OrderChange>;

/** What was read after a change knows more than the change. */
export const withChange = (order: Order, change: OrderChange | undefined): Order =>
  change && change.changedAt > order.updatedAt ? { ...order, status: change.status } : order;

const restartMs = 5000;

/** The customer's orders as they change, while the page is open and somebody is logged in. */
export function useLiveOrders(
  accountId: string | undefined,
  onChange: (change: OrderChange) => void,
  onEnd: (error: StoreProblem) => void,
): OrderChanges {
  const [changes, setChanges] = useState<OrderChanges>(new Map());
  useEffect(() => {
    setChanges(new Map());
    if (!accountId) return;
    const stop = new AbortController();
    void follow(stop.signal, (change) => {
      setChanges((before) => new Map(before).set(change.orderId, change));
      onChange(change);
    }).catch((error) => stop.signal.aborted || onEnd(error));
    return () => stop.abort();
  }, [accountId]);
  return changes;
}

/** Rejects once the session has ended, or the signal is aborted. */
async function follow(signal: AbortSignal, onChange: (change: OrderChange) => void): Promise<never> {
  for (;;) {
    try {
      for await (const change of store.orderEvents({ signal })) onChange(change);
    } catch (error) {
      if (signal.aborted || (error instanceof StoreProblem && error.status === 401)) throw error;
    }
    await pause(restartMs, signal);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
