import { type PaymentRecordOut, paymentRecordOut } from '@store/shared/contracts/order-record';
import { type AnyRoute, ok, route, unavailable } from '@store/shared/http/route';
import { uuid } from '@store/shared/values/fields';
import { z } from 'zod';
import type { PaymentRecords } from './payment-records.ts';

/** For operators, on the service's own address (contract 4.14). */
export function paymentRoutes(records: PaymentRecords): AnyRoute[] {
  return [
    route({
      method: 'get',
      path: '/internal/payments/{orderId}',
      operationId: 'getPaymentRecord',
      summary: 'Fetch the payment of an order, with the events that were written about it',
      tag: 'payments',
      identity: 'caller',
      internal: true,
      params: z.object({ orderId: uuid }),
      responses: { 200: { description: 'The payment.', body: paymentRecordOut }, 503: unavailable },
      async handler({ params: { orderId } }) {
        const record = await records.get(orderId);
        const { status, createdAt, updatedAt, ...payment } = record;
        return ok({
          ...payment,
          status: status as PaymentRecordOut['status'], // checked by the database
          createdAt: createdAt.toISOString(),
          updatedAt: updatedAt.toISOString(),
        });
      },
    }),
  ];
}
