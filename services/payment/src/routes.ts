import { accountDataRoute } from '@store/shared/contracts/account-data';
import { paymentRecordOut } from '@store/shared/contracts/order-record';
import { type AnyRoute, ok, route } from '@store/shared/http/route';
import { found } from '@store/shared/values/errors';
import { uuid } from '@store/shared/values/fields';
import { z } from 'zod';
import type { PaymentRepository } from './payment-repository.ts';

/** For operators (contract 4.14) and for the export of an account, on the service's own address. */
export function paymentRoutes(payments: PaymentRepository): AnyRoute[] {
  return [
    accountDataRoute(payments.pageOf),
    route({
      method: 'get',
      path: '/internal/payments/{orderId}',
      identity: 'caller',
      params: z.object({ orderId: uuid }),
      responses: { 200: { description: 'The payment.', body: paymentRecordOut } },
      handler: async ({ params: { orderId } }) =>
        ok(found(await payments.findRecord(orderId), `payment of order ${orderId}`)),
    }),
  ];
}
