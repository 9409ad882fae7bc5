import { currentTrace, inSpan } from '@store/shared/observability/trace-context';
import { unavailable } from '@store/shared/values/errors';
import { uuid } from '@store/shared/values/fields';
import { parseJson } from '@store/shared/values/json';
import { z } from 'zod';

export interface ProductClient {
  /**
   * Those of the products that exist.
   * @throws DomainError unavailable when the product service does not answer as agreed within 2 s
   */
  existing(productIds: string[]): Promise<Set<string>>;
}

const products = z.array(z.object({ id: uuid }));
/** As many as the product service takes in one request. */
const atOnce = 100;
const call = { name: 'GET /products', kind: 'client', attributes: { 'peer.service': 'product' } } as const;

export function createProductClient(baseUrl: string, timeoutMs = 2_000): ProductClient {
  async function ask(productIds: string[]): Promise<string[]> {
    const query = new URLSearchParams({ size: String(productIds.length) });
    for (const id of productIds) query.append('id', id);
    try {
      const response = await fetch(`${baseUrl}/products?${query}`, {
        headers: { traceparent: currentTrace()?.traceparent ?? '' },
        signal: AbortSignal.timeout(timeoutMs),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`The product service answers ${response.status}`);
      return products.parse(parseJson(text)).map(({ id }) => id);
    } catch (error) {
      throw unavailable('The product service', error);
    }
  }

  return {
    async existing(productIds) {
      const existing = new Set<string>();
      for (let from = 0; from < productIds.length; from += atOnce) {
        const some = productIds.slice(from, from + atOnce);
        for (const id of await inSpan(call, () => ask(some))) existing.add(id);
      }
      return existing;
    },
  };
}
