import type { Database } from '@store/shared/database/database';
import { eventsOf } from '@store/shared/messaging/outbox/events-of';
import type { DB } from '../generated/tables.ts';
import type { Reservation } from '../reservation-repository.ts';

export type ReservationRecordRepository = ReturnType<typeof createReservationRecordRepository>;

/** Reservations as operators see them. */
export function createReservationRecordRepository({ lists: { kysely } }: Database<DB>) {
  return {
    async find(orderId: string) {
      const row = await kysely
        .selectFrom('reservations')
        .select(['order_id as orderId', 'customer_id as customerId', 'status', 'items'])
        .select(['created_at as createdAt', 'updated_at as updatedAt'])
        .where('order_id', '=', orderId)
        .executeTakeFirst();
      if (row === undefined) return undefined;
      const { createdAt, updatedAt, ...reservation } = row;
      const events = await eventsOf(kysely, orderId);
      return { ...(reservation as Reservation), createdAt, updatedAt, events }; // the database checks the status
    },
  };
}
