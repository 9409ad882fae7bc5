import type { Database } from '@store/shared/database/database';
import { eventsOf } from '@store/shared/messaging/outbox/events-of';
import type { PrismaClient } from '../generated/client.ts';
import type { DB } from '../generated/tables.ts';
import type { Reservation } from '../reservation-repository.ts';

export type ReservationRecordRepository = ReturnType<typeof createReservationRecordRepository>;

/** Reservations as operators see them. */
export function createReservationRecordRepository(prisma: PrismaClient, { lists }: Database<DB>) {
  const select = { orderId: true, customerId: true, status: true, items: true, createdAt: true, updatedAt: true };
  return {
    async find(orderId: string) {
      const row = await prisma.reservation.findUnique({ where: { orderId }, select });
      if (row === null) return undefined;
      const reservation = row as typeof row & Reservation; // the database checks the status
      return { ...reservation, events: await eventsOf(lists.kysely, orderId) };
    },
  };
}
