import { reservationRecordOut } from '@store/shared/contracts/order-record';
import { type AnyRoute, ok, route, unavailable } from '@store/shared/http/route';
import { uuid } from '@store/shared/values/fields';
import { z } from 'zod';
import type { ReservationRecords } from './reservation-records.ts';

/** For operators, on the service's own address (contract 4.14). */
export function reservationRoutes(records: ReservationRecords): AnyRoute[] {
  return [
    route({
      method: 'get',
      path: '/internal/reservations/{orderId}',
      operationId: 'getReservationRecord',
      summary: 'Fetch the reservation of an order, with the events that were written about it',
      tag: 'reservations',
      identity: 'caller',
      internal: true,
      params: z.object({ orderId: uuid }),
      responses: { 200: { description: 'The reservation.', body: reservationRecordOut }, 503: unavailable },
      async handler({ params: { orderId } }) {
        const record = await records.get(orderId);
        const { createdAt, updatedAt, ...reservation } = record;
        return ok({
          ...reservation,
          createdAt: createdAt.toISOString(),
          updatedAt: updatedAt.toISOString(),
        });
      },
    }),
  ];
}
