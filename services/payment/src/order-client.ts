import { orderLinesOut, shippedOrderOut } from '@store/shared/contracts/order-demand';
import { createHttpClient, type HttpClientOptions } from '@store/shared/http/client';
import type { Decimal } from '@store/shared/values/money';
import { z } from 'zod';

const tokenOut = z.object({ token: z.string() });
const shippedOut = z.array(shippedOrderOut);

/** A line of an order, with the price of one piece. */
export interface OrderedLine {
  productId: string;
  quantity: number;
  unitPrice: Decimal;
}

export type OrderClient = ReturnType<typeof createOrderClient>;

/** Each throws DomainError unavailable if the order service gives no valid answer within about 2 s. */
export function createOrderClient(options: Pick<HttpClientOptions, 'baseUrl' | 'credential'>) {
  const client = createHttpClient({ service: 'order', timeoutMs: 2_000, ...options });

  return {
    /** Returns what an order is paid with; undefined if it has no token, or does not wait for its payment any more. */
    async paymentToken(orderId: string): Promise<string | undefined> {
      const answer = await client.call('GET', `/internal/orders/${orderId}/payment-token`);
      return answer.status === 404 ? undefined : client.read(tokenOut, answer).token;
    },

    /** Says where the customer of an order has to go. Changes nothing if the order does not wait for its payment any more. */
    async tellAction(orderId: string, url: string): Promise<void> {
      const body = { status: 'action-required', nextAction: { type: 'redirect', url } };
      const { status } = await client.call('PUT', `/internal/orders/${orderId}/payment`, { body });
      if (status !== 204 && status !== 404) throw new Error(`The order service answered ${status}`);
    },

    /** Returns those of the orders, at most {@link maxShipped}, that were shipped. */
    async shipped(orderIds: string[]): Promise<{ orderId: string; at: string }[]> {
      const query = `id=${orderIds.join('&id=')}`;
      const answer = await client.call('GET', '/internal/shipped-orders', { query });
      return client.read(shippedOut, answer).map(({ orderId, shippedAt: at }) => ({ orderId, at }));
    },

    /** Returns the lines of an order, which never change; undefined if there is no such order. */
    async lines(orderId: string): Promise<OrderedLine[] | undefined> {
      const answer = await client.call('GET', `/internal/orders/${orderId}/lines`);
      if (answer.status === 404) return undefined;
      const { items } = client.read(orderLinesOut, answer);
      return items.map(({ productId, quantity, unitPrice }) => ({ productId, quantity, unitPrice: unitPrice.amount }));
    },
  };
}
