import { z } from 'zod';
import { createHttpClient } from '../http/client.ts';
import { uuid } from '../values/fields.ts';
import { type Decimal, decimal } from '../values/money.ts';

export interface ProductClient {
  /**
   * Prices by product id; unknown products are missing from the map.
   * @throws DomainError unavailable when the product service gives no valid answer within 2 s
   */
  prices(productIds: string[]): Promise<Map<string, Decimal>>;
}

const price = decimal(12, 4).refine((value) => value.greaterThan(0), 'must be positive');
const products = z.array(z.object({ id: uuid, price }));
/** The most ids that the product service accepts in one request (contract 4.4). */
const idsPerRequest = 100;

export function createProductClient(baseUrl: string, timeoutMs = 2_000): ProductClient {
  const client = createHttpClient({ service: 'product', baseUrl, timeoutMs });

  async function ask(productIds: string[]) {
    const query = new URLSearchParams({ size: String(productIds.length) });
    for (const id of productIds) query.append('id', id);
    const { status, body } = await client.call('GET', '/products', { query: query.toString() });
    const { success, data, error } = products.safeParse(body);
    if (status !== 200 || !success) throw client.failed(error ?? new Error(`Status ${status}`));
    return data;
  }

  return {
    async prices(productIds) {
      const prices = new Map<string, Decimal>();
      for (let from = 0; from < productIds.length; from += idsPerRequest) {
        for (const { id, price } of await ask(productIds.slice(from, from + idsPerRequest))) prices.set(id, price);
      }
      return prices;
    },
  };
}
