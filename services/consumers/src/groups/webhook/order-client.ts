import { orderOut } from '@store/shared/contracts/order';
import { createHttpClient, type HttpClientOptions } from '@store/shared/http/client';
import { coalesce } from '@store/shared/values/coalesce';
import { stringifyJson } from '@store/shared/values/json';
import { z } from 'zod';

/** Orders that are asked for in one request. */
const maxOrders = 50;

const ordersOut = z.array(z.looseObject({ id: z.string() }));

/** Reads orders as their customers see them, those of one moment together. */
export function createOrderClient(options: Pick<HttpClientOptions, 'baseUrl' | 'credential'>) {
  const client = createHttpClient({ service: 'order', timeoutMs: 5_000, ...options });

  const readAll = coalesce(async (ids: string[]) => {
    const orders = new Map<string, unknown>();
    const unique = [...new Set(ids)];
    for (let from = 0; from < unique.length; from += maxOrders) {
      const query = `id=${unique.slice(from, from + maxOrders).join('&id=')}`;
      const answer = await client.call('GET', '/internal/shown-orders', { query });
      for (const order of client.read(ordersOut, answer)) orders.set(order.id, order);
    }
    return orders;
  });

  /**
   * Without where to go for the payment, which is the customer's alone.
   * @returns JSON; undefined if there is no such order
   * @throws DomainError unavailable
   */
  return async (id: string): Promise<string | undefined> => {
    const order = (await readAll(id)).get(id);
    if (order === undefined) return undefined;
    // Parsed apart, because one that is not understood is no reason for others to wait.
    const shown = client.parsed(orderOut, order);
    delete shown.payment?.nextAction;
    return stringifyJson(shown);
  };
}
