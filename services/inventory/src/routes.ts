import { stockOut } from '@store/shared/contracts/stock';
import { type AnyRoute, created, ok, route, unavailable } from '@store/shared/http/route';
import { uuid } from '@store/shared/values/fields';
import { z } from 'zod';
import { availabilityQuery, stockIn } from './schemas.ts';
import type { Stock } from './stock.ts';

const tag = 'stock';
const path = '/stock/{productId}';
const params = z.object({ productId: uuid });

/** The gateway routes the availability alone: stocks are on the service's own address (contract 4.9). */
export function stockRoutes(stock: Stock): AnyRoute[] {
  return [
    route({
      method: 'get',
      path: '/products/availability',
      operationId: 'listAvailability',
      summary: 'Show how many pieces of some products can still be ordered',
      tag: 'products',
      identity: 'none',
      query: availabilityQuery,
      responses: {
        200: { description: 'Each product that was asked about.', body: z.array(stockOut) },
        503: unavailable,
      },
      handler: async ({ query: { id } }) => ok(await stock.all([...new Set(id)]), { 'Cache-Control': 'no-store' }),
    }),
    route({
      method: 'get',
      path,
      operationId: 'getStock',
      summary: 'Show how many pieces can still be reserved',
      tag,
      identity: 'caller',
      params,
      responses: { 200: { description: 'The stock.', body: stockOut }, 503: unavailable },
      handler: async ({ params: { productId } }) => ok({ productId, available: await stock.get(productId) }),
    }),
    route({
      method: 'put',
      path,
      operationId: 'setStock',
      summary: 'Set how many pieces can still be reserved',
      tag,
      identity: 'caller',
      params,
      body: stockIn,
      decimals: true, // so that 1e-400 is refused, and is not the valid 0
      responses: {
        200: { description: 'The stock as it is now.', body: stockOut },
        201: {
          description: 'The same, for a product that was new here.',
          body: stockOut,
          headers: { Location: 'Path of the stock.' },
        },
        503: unavailable,
      },
      async handler({ params: { productId }, body: { available } }) {
        const isNew = await stock.set(productId, available);
        const body = { productId, available };
        return isNew ? created(`/stock/${productId}`, body) : ok(body);
      },
    }),
  ];
}
