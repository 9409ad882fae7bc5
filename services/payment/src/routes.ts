import { eventsOut, toEventsOut } from '@store/shared/contracts/order-record';
import { type AnyRoute, ok, route, unavailable } from '@store/shared/http/route';
import { timestamp, uuid } from '@store/shared/values/fields';
import { moneySchema } from '@store/shared/values/money';
import { z } from 'zod';
import type { PaymentRecords } from './payment-records.ts';

const paymentOut = z
  .object({
    orderId: uuid,
    customerId: uuid,
    status: z.enum(['CHARGING', 'PAID', 'FAILED', 'REFUNDED', 'CANCELLED']),
    amount: moneySchema.nullable(),
    paymentId: uuid.nullable(),
    reason: z.string().nullable(),
    createdAt: timestamp,
    updatedAt: timestamp,
    events: eventsOut,
  })
  .meta({ id: 'PaymentRecordOut' });

export type PaymentOut = z.input<typeof paymentOut>;

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
      responses: { 200: { description: 'The payment.', body: paymentOut }, 503: unavailable },
      async handler({ params: { orderId } }) {
        const record = await records.get(orderId);
        const { status, createdAt, updatedAt, events, ...payment } = record;
        return ok({
          ...payment,
          status: status as PaymentOut['status'], // checked by the database
          createdAt: createdAt.toISOString(),
          updatedAt: updatedAt.toISOString(),
          events: toEventsOut(events),
        });
      },
    }),
  ];
}
