import { stockOut } from '@store/shared/contracts/stock';
import { type AnyRoute, noContent, ok, problem, route } from '@store/shared/http/route';
import { text, uuid } from '@store/shared/values/fields';
import { z } from 'zod';
import { byOperator } from '../by-operator.ts';
import type { Products } from './products.ts';
import { fields, listedOut, productIn, shownOut, version } from './schemas.ts';
import type { Stock } from './stock.ts';

const base = { tag: 'catalogue', ...byOperator } as const;
const path = '/api/products/{id}';
const params = z.object({ id: uuid });
export function cataloguePageRoutes(stock: Stock, products: Products): AnyRoute[] {
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
      handler: async ({ query: { search } }) => ok(await stock.list(search)),
    }),
    route({
      ...base,
      method: 'get',
      path,
      operationId: 'showProduct',
      summary: 'Show a product as it is now',
      params,
      responses: { 200: { description: 'The product.', body: shownOut } },
      handler: async ({ params: { id } }) => ok(await products.find(id)),
    }),
    route({
      ...base,
      method: 'put',
      path,
      operationId: 'changeProduct',
      summary: 'Set name, price and unit of a product',
      params,
      body: productIn,
      responses: {
        204: { description: 'They are set.' },
        409: problem('Somebody else has changed it since this version.'),
      },
      async handler({ params: { id }, headers, body: { version, ...fields } }) {
        await products.change(headers['console-operator'], id, version, fields);
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
      async handler({ headers, body }) {
        await products.create(headers['console-operator'], body);
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
      responses: {
        204: { description: 'It is gone.' },
        409: problem('Somebody else has changed it since this version.'),
      },
      async handler({ params: { id }, query, headers }) {
        await products.remove(headers['console-operator'], id, query.version);
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
      handler: async ({ params: { productId }, headers, body: { available } }) =>
        ok(await stock.set(headers['console-operator'], productId, available)),
    }),
  ];
}
