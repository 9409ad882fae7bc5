import { maxDemands, orderDemandOut } from '@store/shared/contracts/order-demand';
import { createHttpClient, type HttpClientOptions } from '@store/shared/http/client';
import { z } from 'zod';

export type OrderDemand = z.output<typeof orderDemandOut>;

const demandsOut = z.array(orderDemandOut);

export type OrderClient = ReturnType<typeof createOrderClient>;

export function createOrderClient(options: Pick<HttpClientOptions, 'baseUrl' | 'credential'>) {
  const client = createHttpClient({ service: 'order', timeoutMs: 2_000, ...options });

  return {
    /**
     * Returns what orders demand, by order id; unknown orders are missing from the map.
     * @throws DomainError unavailable if the order service gives no valid answer within about 2 s
     */
    async demands(orderIds: string[]): Promise<Map<string, OrderDemand>> {
      const demands = new Map<string, OrderDemand>();
      for (let from = 0; from < orderIds.length; from += maxDemands) {
        const query = `id=${orderIds.slice(from, from + maxDemands).join('&id=')}`;
        const answer = await client.call('GET', '/internal/order-demands', { query });
        for (const demand of client.read(demandsOut, answer)) demands.set(demand.orderId, demand);
      }
      return demands;
    },
  };
}
