import { type Kysely, sql } from 'kysely';
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

export function createMailRepository(kysely: Kysely<DB>) {
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
      await kysely
        .updateTable('notifications')
        .set({ sent_at: sql<Date>`now()`, send_at: null })
        .where('id', '=', id)
        .execute();
    },
    /** @param reason at most 500 characters are kept */
    async refused(id: string, reason: string): Promise<void> {
      await kysely
        .updateTable('notifications')
        .set({ refusal: reason.slice(0, 500), send_at: null })
        .where('id', '=', id)
        .where('sent_at', 'is', null)
        .execute();
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
