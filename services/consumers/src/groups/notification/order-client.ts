import { shipmentOut } from '@store/shared/contracts/order';
import { createHttpClient, type HttpClientOptions } from '@store/shared/http/client';
import type { Parcel } from './mails/words.ts';

export type OrderClient = ReturnType<typeof createOrderClient>;

export function createOrderClient(options: Pick<HttpClientOptions, 'baseUrl' | 'credential'>) {
  const client = createHttpClient({ service: 'order', timeoutMs: 2_000, ...options });

  return {
    /**
     * Returns what was entered about the shipment of an order; undefined if the order service, such as that of the last release, knows
     * none.
     * @throws DomainError unavailable if the order service gives no valid answer within about 2 s
     */
    async parcelOf(orderId: string): Promise<Parcel | undefined> {
      const answer = await client.call('GET', `/internal/orders/${orderId}/shipment`);
      return answer.status === 404 ? undefined : client.read(shipmentOut, answer);
    },
  };
}
