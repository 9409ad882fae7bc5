import { orderOut } from '@store/shared/contracts/order';
import { createHttpClient } from '@store/shared/http/client';

const linesOut = orderOut.pick({ items: true });

export type OrderClient = ReturnType<typeof createOrderClient>;

export function createOrderClient(baseUrl: string) {
  const client = createHttpClient({ service: 'order', baseUrl, timeoutMs: 2_000 });

  return {
    /**
     * Returns the lines of a customer's order; undefined if the customer has no such order, or has deleted it.
     * @throws DomainError unavailable if the order service gives no valid answer within about 2 s
     */
    async lines(orderId: string, customer: { accountId: string; authorization: string | undefined }) {
      const answer = await client.call('GET', `/orders/${orderId}`, { customer });
      return answer.status === 404 ? undefined : client.read(linesOut, answer).items;
    },
  };
}
