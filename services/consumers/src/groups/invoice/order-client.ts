import { orderOut } from '@store/shared/contracts/order';
import { createHttpClient } from '@store/shared/http/client';
import type { z } from 'zod';

const linesOut = orderOut.pick({ items: true });

export type Lines = z.output<typeof linesOut>['items'];

export interface Customer {
  accountId: string;
  /** The header, as the customer's request has it. */
  authorization: string | undefined;
}

export interface OrderClient {
  /**
   * Returns the lines of a customer's order; undefined if the customer has no such order, or has deleted it.
   * @throws DomainError unavailable when the order service gives no valid answer within about 2 s
   */
  lines(orderId: string, customer: Customer): Promise<Lines | undefined>;
}

export function createOrderClient(baseUrl: string): OrderClient {
  const client = createHttpClient({ service: 'order', baseUrl, timeoutMs: 2_000 });

  return {
    async lines(orderId, customer) {
      const { status, body } = await client.call('GET', `/orders/${orderId}`, { customer });
      if (status === 404) return undefined;
      const { success, data, error } = linesOut.safeParse(body);
      if (status !== 200 || !success) throw client.failed(error ?? new Error(`Status ${status}`));
      return data.items;
    },
  };
}
