import { stockOut } from '@store/shared/contracts/stock';
import { type AnyRoute, created, ok, route, unavailable } from '@store/shared/http/route';
import { uuid } from '@store/shared/values/fields';
import { z } from 'zod';
import { stockIn } from './schemas.ts';
import type { Stock } from './stock.ts';

const tag = 'stock';
const path = '/stock/{productId}';
const params = z.object({ productId: uuid });

/** On the service's own address only: the gateway does not route it, so there is no identity (contract 4.9). */
export function stockRoutes(stock: Stock): AnyRoute[] {
  return [
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
