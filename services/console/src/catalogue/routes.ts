import { type AnyRoute, ok, route, unavailable } from '@store/shared/http/route';
import { text, uuid } from '@store/shared/values/fields';
import { z } from 'zod';
import { byOperator } from '../by-operator.ts';
import type { Stock } from './stock.ts';

const base = { tag: 'stock', ...byOperator } as const;
const productOut = z.looseObject({
  id: uuid,
  name: z.string(),
  available: z.int().nullable().describe('Null for a product that inventory has not seen, or if it does not answer.'),
});
const stockOut = z.object({ productId: uuid, available: z.int() });

export function stockPageRoutes(stock: Stock): AnyRoute[] {
  return [
    route({
      ...base,
      method: 'get',
      path: '/api/products',
      operationId: 'showProducts',
      summary: 'List 20 products with their stock',
      query: z.object({ search: text(1, 200).optional() }),
      responses: {
        200: { description: 'Those with the text, or the latest.', body: z.array(productOut) },
        503: unavailable,
      },
      handler: async ({ query: { search } }) => ok(await stock.list(search)),
    }),
    route({
      ...base,
      method: 'put',
      path: '/api/stock/{productId}',
      operationId: 'changeStock',
      summary: 'Set how many pieces can still be reserved',
      params: z.object({ productId: uuid }),
      body: z.object({ available: z.int().min(0).max(1_000_000_000) }),
      responses: { 200: { description: 'The stock.', body: stockOut }, 503: unavailable },
      handler: async ({ params: { productId }, headers, body: { available } }) =>
        ok((await stock.set(headers['console-operator'], productId, available)) as z.input<typeof stockOut>),
    }),
  ];
}
