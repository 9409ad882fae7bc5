import type { Database } from '@store/shared/database/database';
import { eventsOf } from '@store/shared/messaging/outbox/events-of';
import type { PrismaClient } from './generated/client.ts';
import type { DB } from './generated/tables.ts';

export type PaymentRecordRepository = ReturnType<typeof createPaymentRecordRepository>;

/** Payments as operators see them. */
export function createPaymentRecordRepository(prisma: PrismaClient, { lists }: Database<DB>) {
  return {
    async find(orderId: string) {
      const row = await prisma.payment.findUnique({ where: { orderId } });
      if (row === null) return undefined;
      const { amount, currency, ...payment } = row;
      const money = amount === null || currency === null ? null : { amount, currency };
      return { ...payment, amount: money, events: await eventsOf(lists.kysely, orderId) };
    },
  };
}
