import { stockOut } from '@store/shared/contracts/stock';
import type { Logger } from '@store/shared/observability/log';
import { z } from 'zod';
import type { Services } from '../services-client.ts';
import { anyProduct } from './schemas.ts';

const shown = 20;

export type Stock = ReturnType<typeof createStock>;

/** Products with their stock (contract 4.4 and 4.9). */
export function createStock(services: Services, log: Logger) {
  return {
    /** @param sought text in the name; default: the latest products */
    async list(sought: string | undefined) {
      const query = sought === undefined ? 'sort=createdAt,desc' : `q=${encodeURIComponent(sought)}`;
      const products = await services.get('product', `/products?size=${shown}&${query}`, z.array(anyProduct));
      return Promise.all(
        products.map(async (product) => {
          const stock = await services.find('inventory', `/stock/${product.id}`, stockOut).catch(() => undefined);
          return { ...product, available: stock?.available ?? null };
        }),
      );
    },
    async set(by: string, productId: string, available: number) {
      const { body: stock } = await services.call('PUT', 'inventory', `/stock/${productId}`, stockOut, {
        body: { available },
        operator: by,
      });
      log.info({ by, productId, available }, 'A stock was set');
      return stock;
    },
  };
}
