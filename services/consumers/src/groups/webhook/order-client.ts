import { orderOut, shownOrdersOut } from '@store/shared/contracts/order';
import { createHttpClient, type HttpClientOptions } from '@store/shared/http/client';
import { coalesce } from '@store/shared/values/coalesce';
import { stringifyJson } from '@store/shared/values/json';

/** Orders that are asked for in one request. */
const maxOrders = 50;

interface Asked {
  orderId: string;
  /** An event that the order should have followed; undefined if that is known. */
  eventId: string | undefined;
}

/** Reads orders as their customers see them, those of one moment together. */
export function createOrderClient(options: Pick<HttpClientOptions, 'baseUrl' | 'credential'>) {
  const client = createHttpClient({ service: 'order', timeoutMs: 5_000, ...options });

  const readAll = coalesce(async (asked: Asked[]) => {
    const orders = new Map<string, unknown>();
    const behind = new Set<string>();
    for (let from = 0; from < asked.length; from += maxOrders) {
      const some = asked.slice(from, from + maxOrders);
      const ids = new Set(some.map(({ orderId }) => `id=${orderId}`));
      const events = new Set(some.flatMap(({ eventId }) => (eventId === undefined ? [] : `event=${eventId}`)));
      const answer = await client.call('GET', '/internal/shown-orders', { query: [...ids, ...events].join('&') });
      const shown = client.read(shownOrdersOut, answer);
      for (const order of shown.orders) orders.set(order.id, order);
      for (const id of shown.behind) behind.add(id);
    }
    return { orders, behind };
  });

  /**
   * Without where to go for the payment, which is the customer's alone.
   * @returns JSON; undefined if there is no such order; `behind` if it has not followed the event yet
   * @throws DomainError unavailable
   */
  return async (asked: Asked): Promise<{ json: string } | 'behind' | undefined> => {
    const { orders, behind } = await readAll(asked);
    if (asked.eventId !== undefined && behind.has(asked.eventId)) return 'behind';
    const order = orders.get(asked.orderId);
    if (order === undefined) return undefined;
    // Parsed apart, because one that is not understood is no reason for others to wait.
    const shown = client.parsed(orderOut, order);
    delete shown.payment?.nextAction;
    return { json: stringifyJson(shown) };
  };
}
