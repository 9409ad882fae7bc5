import { stockOut } from '@store/shared/contracts/stock';
import { type AnyRoute, noContent, ok, problem, route } from '@store/shared/http/route';
import type { Logger } from '@store/shared/observability/log';
import { text, uuid } from '@store/shared/values/fields';
import { Decimal } from '@store/shared/values/money';
import { z } from 'zod';
import { byOperator } from '../by-operator.ts';
import type { Services } from '../services-client.ts';
import { anyProduct, fields, listedOut, productIn, shownOut, version } from './schemas.ts';

const base = { tag: 'catalogue', ...byOperator } as const;
const path = '/api/products/{id}';
const params = z.object({ id: uuid });
const stale = problem('Somebody else has changed it since this version.');
const shown = 20;

/** Makes the routes of products and their stock (contract 4.4 and 4.9), which are changed in the state in which they were seen. */
export function cataloguePageRoutes(services: Services, log: Logger): AnyRoute[] {
  return [
    route({
      ...base,
      method: 'get',
      path: '/api/products',
      operationId: 'showProducts',
      summary: 'List 20 products with their stock',
      query: z.object({ search: text(1, 200).optional() }),
      responses: {
        200: { description: 'Those with the text, or the latest.', body: z.array(listedOut) },
      },
      async handler({ query: { search } }) {
        const query = search === undefined ? 'sort=createdAt,desc' : `q=${encodeURIComponent(search)}`;
        const products = await services.get('product', `/products?size=${shown}&${query}`, z.array(anyProduct));
        const listed = products.map(async (product) => {
          const stock = await services.find('inventory', `/stock/${product.id}`, stockOut).catch(() => undefined);
          return { ...product, available: stock?.available ?? null };
        });
        return ok(await Promise.all(listed));
      },
    }),
    route({
      ...base,
      method: 'get',
      path,
      operationId: 'showProduct',
      summary: 'Show a product as it is now',
      params,
      responses: { 200: { description: 'The product.', body: shownOut } },
      async handler({ params: { id } }) {
        const { body, etag = '' } = await services.call('GET', 'product', `/products/${id}`, anyProduct);
        const { name, price, unit } = body;
        return ok({ id, name, price: price.toFixed(), unit, version: etag });
      },
    }),
    route({
      ...base,
      method: 'put',
      path,
      operationId: 'changeProduct',
      summary: 'Set name, price and unit of a product',
      params,
      body: productIn,
      responses: { 204: { description: 'They are set.' }, 409: stale },
      async handler({ params: { id }, headers: { 'console-operator': by }, body: { version, ...product } }) {
        // Fields that are not shown here stay.
        const { description, images, category } = await services.get('product', `/products/${id}`, anyProduct);
        const body = { ...product, price: new Decimal(product.price), description, images, category };
        const sent = { body, ifMatch: version, operator: by };
        await services.call('PUT', 'product', `/internal/products/${id}`, anyProduct, sent);
        log.info({ by, productId: id, product }, 'A product was changed');
        return noContent();
      },
    }),
    route({
      ...base,
      method: 'post',
      path: '/api/products',
      operationId: 'createProduct',
      summary: 'Create a product',
      body: fields,
      responses: { 204: { description: 'It is there.' } },
      async handler({ headers: { 'console-operator': by }, body: product }) {
        const sent = { body: { ...product, price: new Decimal(product.price) }, operator: by };
        const { body } = await services.call('POST', 'product', '/internal/products', anyProduct, sent);
        log.info({ by, productId: body.id, product }, 'A product was created');
        return noContent();
      },
    }),
    route({
      ...base,
      method: 'delete',
      path,
      operationId: 'deleteProduct',
      summary: 'Delete a product',
      params,
      query: z.object({ version }),
      responses: { 204: { description: 'It is gone.' }, 409: stale },
      async handler({ params: { id }, query, headers: { 'console-operator': by } }) {
        const sent = { ifMatch: query.version, operator: by };
        await services.call('DELETE', 'product', `/internal/products/${id}`, z.undefined(), sent);
        log.info({ by, productId: id }, 'A product was deleted');
        return noContent();
      },
    }),
    route({
      ...base,
      method: 'put',
      path: '/api/stock/{productId}',
      operationId: 'changeStock',
      summary: 'Set how many pieces can still be reserved',
      params: z.object({ productId: uuid }),
      body: z.object({ available: z.int().min(0).max(1_000_000_000) }),
      responses: { 200: { description: 'The stock.', body: stockOut } },
      async handler({ params: { productId }, headers: { 'console-operator': by }, body }) {
        const sent = { body, operator: by };
        const { body: stock } = await services.call('PUT', 'inventory', `/stock/${productId}`, stockOut, sent);
        log.info({ by, productId, available: body.available }, 'A stock was set');
        return ok(stock);
      },
    }),
  ];
}
