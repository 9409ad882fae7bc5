import type { Logger } from '@store/shared/observability/log';
import { Decimal } from '@store/shared/values/money';
import { z } from 'zod';
import { readMs, type Services } from '../services-client.ts';
import { anyProduct, type ProductFields } from './schemas.ts';

export type Products = ReturnType<typeof createProducts>;

/** One product, to be changed in the state in which it was seen (contract 4.4). */
export function createProducts(services: Services, log: Logger) {
  return {
    async create(by: string, fields: ProductFields): Promise<void> {
      const { body } = await services.call('POST', 'product', '/internal/products', anyProduct, {
        body: { ...fields, price: new Decimal(fields.price) },
        operator: by,
      });
      log.info({ by, productId: body.id, product: fields }, 'A product was created');
    },
    /** @throws DomainError conflict as for a change */
    async remove(by: string, id: string, version: string): Promise<void> {
      const seen = { ifMatch: version, operator: by };
      await services.call('DELETE', 'product', `/internal/products/${id}`, z.undefined(), seen);
      log.info({ by, productId: id }, 'A product was deleted');
    },
    async find(id: string) {
      const { body, etag = '' } = await services.call('GET', 'product', `/products/${id}`, anyProduct, {
        timeoutMs: readMs,
      });
      const { name, price, unit } = body;
      return { id, name, price: price.toFixed(), unit, version: etag };
    },
    /**
     * @param version as it was found
     * @throws DomainError conflict if somebody else has changed it meanwhile
     */
    async change(by: string, id: string, version: string, fields: ProductFields): Promise<void> {
      const { description, images, category } = await services.get('product', `/products/${id}`, anyProduct);
      const product = { ...fields, price: new Decimal(fields.price), description, images, category };
      const changed = { body: product, ifMatch: version, operator: by };
      await services.call('PUT', 'product', `/internal/products/${id}`, anyProduct, changed);
      log.info({ by, productId: id, product: fields }, 'A product was changed');
    },
  };
}
