import { type AnyRoute, noContent, noStore, ok, route } from '@store/shared/http/route';
import { found } from '@store/shared/values/errors';
import { uuid } from '@store/shared/values/fields';
import { z } from 'zod';
import { orderPaymentIn, paymentTokenOut } from '../schemas.ts';
import type { PaymentDetailsRepository } from './payment-details-repository.ts';

const params = z.object({ id: uuid });

/** For payment, on the service's own address (contract 3.7, 4.14). */
export function paymentDetailsRoutes(details: PaymentDetailsRepository, clock: () => Date): AnyRoute[] {
  return [
    route({
      method: 'get',
      path: '/internal/orders/{id}/payment-token',
      identity: 'caller',
      params,
      responses: { 200: { description: 'The token of an order that waits for its payment.', body: paymentTokenOut } },
      handler: async ({ params: { id } }) =>
        ok({ token: found(await details.findToken(id), `token for a payment of order ${id}`) }, noStore),
    }),
    route({
      method: 'put',
      path: '/internal/orders/{id}/payment',
      identity: 'caller',
      params,
      body: orderPaymentIn,
      responses: { 204: { description: 'Stored, or the order no longer waits for its payment.' } },
      async handler({ params: { id }, body: { nextAction } }) {
        const isKnown = await details.setAction(id, nextAction?.url ?? null, clock());
        found(isKnown || undefined, `order ${id}`);
        return noContent();
      },
    }),
  ];
}
