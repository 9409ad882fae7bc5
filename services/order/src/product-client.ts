import { currentTrace, inSpan } from '@store/shared/observability/trace-context';
import { unavailable } from '@store/shared/values/errors';
import { uuid } from '@store/shared/values/fields';
import { parseJson } from '@store/shared/values/json';
import { type Decimal, decimal } from '@store/shared/values/money';
import { request } from 'undici';
import { z } from 'zod';

export interface ProductClient {
  /**
   * The prices of the products that exist.
   * @throws DomainError unavailable when the product service does not answer as agreed within 2 s
   */
  prices(productIds: string[]): Promise<Map<string, Decimal>>;
}

const price = decimal(12, 4).refine((value) => value.greaterThan(0), 'must be positive');
const products = z.array(z.object({ id: uuid, price }));

export function createProductClient(baseUrl: string, timeoutMs = 2_000): ProductClient {
  return {
    prices: (productIds) =>
      inSpan({ name: 'GET /products', kind: 'client', attributes: { 'peer.service': 'product' } }, async () => {
        const query = new URLSearchParams({ size: String(productIds.length) });
        for (const id of productIds) query.append('id', id);
        try {
          const { statusCode, body } = await request(`${baseUrl}/products?${query}`, {
            headers: { traceparent: currentTrace()?.traceparent ?? '' },
            signal: AbortSignal.timeout(timeoutMs),
          });
          const text = await body.text();
          if (statusCode !== 200) throw new Error(`The product service answers ${statusCode}`);
          return new Map(products.parse(parseJson(text)).map(({ id, price }) => [id, price]));
        } catch (error) {
          throw unavailable('The product service', error);
        }
      }),
  };
}
