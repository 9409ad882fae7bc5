import { type Kysely, sql } from 'kysely';
import type { PrismaClient } from '../../generated/client.ts';
import type { DB } from '../../generated/tables.ts';

export interface DueMail {
  id: string;
  customerId: string;
  subject: string;
  text: string;
  /** Including this one. */
  attempts: number;
}

export type MailRepository = ReturnType<typeof createMailRepository>;

export function createMailRepository(prisma: PrismaClient, kysely: Kysely<DB>) {
  /** Counts from the clock of the database, which decides what is due: senders need not agree on the time. */
  const inSeconds = (seconds: number) => sql<Date>`now() + ${seconds}::int * interval '1 s'`;

  return {
    /** Claims at most `count` due messages, each for one caller, which has `holdSeconds` to send them. */
    claim: (count: number, holdSeconds: number): Promise<DueMail[]> =>
      kysely
        .updateTable('notifications')
        .set((eb) => ({ send_at: inSeconds(holdSeconds), attempts: eb('attempts', '+', 1) }))
        .where('id', 'in', (eb) =>
          eb
            .selectFrom('notifications')
            .select('id')
            .where('send_at', '<=', sql<Date>`now()`)
            .orderBy('send_at')
            .limit(count)
            .forUpdate()
            .skipLocked(),
        )
        .returning(['id', 'customer_id as customerId', 'subject', 'text', 'attempts'])
        .execute(),
    async sent(id: string): Promise<void> {
      await prisma.notification.updateMany({ where: { id }, data: { sentAt: new Date(), sendAt: null } });
    },
    /** @param reason at most 500 characters are kept */
    async refused(id: string, reason: string): Promise<void> {
      const data = { refusal: reason.slice(0, 500), sendAt: null };
      await prisma.notification.updateMany({ where: { id, sentAt: null }, data });
    },
    async postpone(id: string, seconds: number): Promise<void> {
      await kysely
        .updateTable('notifications')
        .set({ send_at: inSeconds(seconds) })
        .where('id', '=', id)
        .where('sent_at', 'is', null)
        .execute();
    },
  };
}
