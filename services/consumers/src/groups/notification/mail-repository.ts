import { storable } from '@store/shared/values/text';
import { type Kysely, sql } from 'kysely';
import type { PrismaClient } from '../../generated/client.ts';
import type { DB } from '../../generated/tables.ts';
import type { MailSource } from './mails/mail.ts';
import type { MailKind } from './mails/words.ts';

export interface DueMail extends MailSource {
  /** Including this one. */
  attempts: number;
  createdAt: Date;
}

export type MailRepository = ReturnType<typeof createMailRepository>;

const source = [
  'id',
  'customer_id as customerId',
  sql<MailKind>`kind`.as('kind'),
  sql<MailSource['data']>`data`.as('data'),
  'subject',
  'text',
] as const;

/** Counts from the clock of the database, which decides what is due: senders need not agree on the time. */
const inSeconds = (seconds: number) => sql<Date>`now() + ${seconds}::int * interval '1 s'`;

export function createMailRepository(prisma: PrismaClient, kysely: Kysely<DB>) {
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
        .returning([...source, 'attempts', 'created_at as createdAt'])
        .execute(),
    find: (id: string): Promise<MailSource | undefined> =>
      kysely.selectFrom('notifications').select(source).where('id', '=', id).executeTakeFirst(),
    newest: () =>
      prisma.notification.findMany({
        select: { id: true, customerId: true, kind: true, subject: true, createdAt: true },
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
        take: 100,
      }),
    async sent(id: string): Promise<void> {
      await prisma.notification.updateMany({ where: { id }, data: { sentAt: new Date(), sendAt: null } });
    },
    /** @param reason at most 500 characters are kept */
    async refused(id: string, reason: string): Promise<void> {
      const data = { refusal: storable(reason, 500), sendAt: null };
      await prisma.notification.updateMany({ where: { id, sentAt: null }, data });
    },
    postpone: (id: string, seconds: number) =>
      kysely
        .updateTable('notifications')
        .set({ send_at: inSeconds(seconds) })
        .where('id', '=', id)
        .where('sent_at', 'is', null)
        .execute(),
  };
}
