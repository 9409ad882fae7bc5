import type { Order, OrderEvent } from '@store-platform/client';
import { useEffect, useState } from 'preact/hooks';
import { useIsWatched } from './look-again.ts';
import { followOrders, type News } from './order-stream.ts';

export type OrderChange = Omit<OrderEvent, 'id'>;

export interface LiveOrders {
  /** The latest change of each order, by its id. */
  changes: ReadonlyMap<string, OrderChange>;
  /** Grows when changes start to arrive, perhaps after some were missed: earlier reads may be out of date. */
  starts: number;
  /** Why no changes arrive, as a sentence; undefined while they do. */
  paused: string | undefined;
}

/** Applies a change to an order that was read before the change. An order that was read later is already newer. */
export const withChange = (order: Order, change: OrderChange | undefined): Order =>
  change && change.changedAt > order.updatedAt ? { ...order, status: change.status } : order;

function after({ changes, starts, paused }: LiveOrders, news: News): LiveOrders {
  if (news.is === 'change') return { changes: new Map(changes).set(news.change.orderId, news.change), starts, paused };
  if (news.is === 'paused') return { changes, starts, paused: news.why };
  return { changes, starts: news.anew ? starts + 1 : starts, paused: undefined };
}

/** Follows changes of the customer's orders while the page is watched and a customer is logged in. */
export function useLiveOrders(
  accountId: string | undefined,
  onChange: (change: OrderChange) => void,
  onEnd: (error: unknown) => string,
): LiveOrders {
  const [live, setLive] = useState<LiveOrders>({ changes: new Map(), starts: 0, paused: undefined });
  const isWatched = useIsWatched();
  useEffect(() => {
    if (!accountId || !isWatched) return;
    const stop = new AbortController();
    function onNews(news: News): void {
      setLive((before) => after(before, news));
      if (news.is === 'change') onChange(news.change);
    }
    followOrders(accountId, onNews, stop.signal).catch((error) => {
      if (!stop.signal.aborted) onNews({ is: 'paused', why: onEnd(error) });
    });
    return () => stop.abort();
  }, [accountId, isWatched]);
  return live;
}
