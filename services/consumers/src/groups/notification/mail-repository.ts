import { type Kysely, sql } from 'kysely';
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

export function createMailRepository(kysely: Kysely<DB>) {
  const update = (id: string) => kysely.updateTable('notifications').where('id', '=', id);
  const unsent = (id: string) => update(id).where('sent_at', 'is', null);

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
      kysely
        .selectFrom('notifications')
        .select(['id', 'customer_id as customerId', 'kind', 'subject', 'created_at as createdAt'])
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(100)
        .execute(),
    sent: (id: string) => update(id).set({ sent_at: sql<Date>`now()`, send_at: null }).execute(),
    /** @param reason at most 500 characters are kept */
    refused: (id: string, reason: string) =>
      unsent(id)
        .set({ refusal: reason.slice(0, 500), send_at: null })
        .execute(),
    postpone: (id: string, seconds: number) =>
      unsent(id)
        .set({ send_at: inSeconds(seconds) })
        .execute(),
  };
}
