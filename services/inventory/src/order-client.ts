import { maxDemands, orderDemandOut } from '@store/shared/contracts/order-demand';
import { createHttpClient, type HttpClientOptions } from '@store/shared/http/client';
import { z } from 'zod';

export type OrderDemand = z.output<typeof orderDemandOut>;

export interface OrderClient {
  /**
   * Returns what orders demand, by order id; unknown orders are missing from the map.
   * @throws DomainError unavailable when the order service gives no valid answer within about 2 s
   */
  demands(orderIds: string[]): Promise<Map<string, OrderDemand>>;
}

const demandsOut = z.array(orderDemandOut);

export function createOrderClient(options: Pick<HttpClientOptions, 'baseUrl' | 'credential'>): OrderClient {
  const client = createHttpClient({ service: 'order', timeoutMs: 2_000, ...options });

  async function ask(ids: string[]): Promise<OrderDemand[]> {
    const { status, body } = await client.call('GET', '/internal/order-demands', { query: `id=${ids.join('&id=')}` });
    const { success, data, error } = demandsOut.safeParse(body);
    if (status !== 200 || !success) throw client.failed(error ?? new Error(`Status ${status}`));
    return data;
  }

  return {
    async demands(orderIds) {
      const demands = new Map<string, OrderDemand>();
      for (let from = 0; from < orderIds.length; from += maxDemands) {
        for (const demand of await ask(orderIds.slice(from, from + maxDemands))) demands.set(demand.orderId, demand);
      }
      return demands;
    },
  };
}
