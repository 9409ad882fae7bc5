import { accountDataRoute } from '@store/shared/contracts/account-data';
import { reservationRecordOut } from '@store/shared/contracts/order-record';
import { stockJson, stockOut } from '@store/shared/contracts/stock';
import { etagDescription, preconditionHeaders, stateHeaders } from '@store/shared/http/precondition';
import { type AnyRoute, created, noStore, ok, route } from '@store/shared/http/route';
import { found } from '@store/shared/values/errors';
import { uuid } from '@store/shared/values/fields';
import { z } from 'zod';
import type { ReservationRepository } from './reservation-repository.ts';
import { availabilityQuery, stockIn } from './schemas.ts';
import type { Stock } from './stock.ts';

const ofProduct = {
  path: '/stock/{productId}',
  tag: 'stock',
  // Accounts with the role `catalogue` come through the gateway, operators to the service's own address.
  identity: 'accountOrCaller',
  role: 'catalogue',
  scope: 'stock:write',
  params: z.object({ productId: uuid }),
} as const;

/** The gateway routes availability and stock; the rest is on the service's own address (contract 4.9, 4.14). */
export function inventoryRoutes(stock: Stock, reservations: ReservationRepository): AnyRoute[] {
  return [
    accountDataRoute(reservations.pageOf),
    route({
      method: 'get',
      path: '/products/availability',
      operationId: 'listAvailability',
      summary: 'Fetch how many pieces of each product can still be ordered',
      tag: 'products',
      identity: 'none',
      query: availabilityQuery,
      responses: {
        200: { description: 'The requested products.', body: z.array(stockOut) },
      },
      handler: async ({ query: { id }, clientAddress }) =>
        ok(await stock.all([...new Set(id)], clientAddress), noStore),
    }),
    route({
      ...ofProduct,
      method: 'get',
      operationId: 'getStock',
      summary: 'Show how many pieces can still be reserved',
      responses: { 200: { description: 'The stock.', body: stockOut, headers: { ETag: etagDescription } } },
      async handler({ params: { productId } }) {
        const json = stockJson(productId, { available: await stock.get(productId) });
        return ok({ json }, stateHeaders(json));
      },
    }),
    route({
      ...ofProduct,
      method: 'put',
      operationId: 'setStock',
      summary: 'Set how many pieces can still be reserved',
      headers: preconditionHeaders,
      body: stockIn,
      decimals: true, // so that 1e-400 is refused and does not become the valid 0
      responses: {
        200: { description: 'The new stock.', body: stockOut },
        201: {
          description: 'The new stock of a product that had none yet.',
          body: stockOut,
          headers: { Location: 'Path of the stock.' },
        },
      },
      async handler({ params: { productId }, headers, body: { available }, actor }) {
        const isNew = await stock.set(actor, productId, available, headers);
        const body = { productId, available };
        return isNew ? created(`/stock/${productId}`, body) : ok(body);
      },
    }),
    // For operators.
    route({
      method: 'get',
      path: '/internal/reservations/{orderId}',
      identity: 'caller',
      params: z.object({ orderId: uuid }),
      responses: { 200: { description: 'The reservation.', body: reservationRecordOut } },
      handler: async ({ params: { orderId } }) =>
        ok(found(await reservations.find(orderId), `reservation of order ${orderId}`)),
    }),
  ];
}
