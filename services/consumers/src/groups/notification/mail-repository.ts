import { inTransaction } from '@store/shared/database/transaction';
import { storable } from '@store/shared/values/text';
import { type Kysely, sql } from 'kysely';
import type { PrismaClient } from '../../generated/client.ts';
import type { DB } from '../../generated/tables.ts';
import { en } from './mails/en.ts';
import type { MailSource } from './mails/mail.ts';
import { digestKind } from './mails/words.ts';

export interface DueMail extends MailSource {
  /** Including this one. */
  attempts: number;
  createdAt: Date;
}

interface CountedMail {
  /** The message's. */
  id: string;
  /** Of an address. */
  mailbox: Buffer;
  /** What is limited on its own. */
  kind: string;
  max: number;
}

export type MailRepository = ReturnType<typeof createMailRepository>;

const source = [
  'id',
  'customer_id as customerId',
  sql<MailSource['kind']>`kind`.as('kind'),
  sql<MailSource['data']>`data`.as('data'),
  'subject',
  'text',
] as const;

/** Counts from the clock of the database, which decides what is due: senders need not agree on the time. */
const inSeconds = (seconds: number) => sql<Date>`now() + ${seconds}::int * interval '1 s'`;

/** A message, and those that it has if it is a digest. */
const withParts = (id: string) => ({ OR: [{ id }, { digestId: id }] });

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
    /** The messages of a digest that has been claimed, and takes no more. */
    parts: (digestId: string): Promise<MailSource[]> =>
      kysely
        .selectFrom('notifications')
        .select(source)
        .where('digest_id', '=', digestId)
        .orderBy('created_at')
        .execute(),
    async sent(id: string): Promise<void> {
      await prisma.notification.updateMany({ where: withParts(id), data: { sentAt: new Date(), sendAt: null } });
    },
    /** @param reason at most 500 characters are kept */
    async refused(id: string, reason: string): Promise<void> {
      const data = { refusal: storable(reason, 500), sendAt: null };
      await prisma.notification.updateMany({ where: { ...withParts(id), sentAt: null }, data });
    },
    /**
     * Counts a mail to a mailbox, once however often it is tried, unless `max` of its kind were counted within an hour.
     * @returns in how many seconds there is room again; undefined if it was counted
     */
    count: ({ id, mailbox, kind, max }: CountedMail): Promise<number | undefined> =>
      inTransaction(kysely, async (tx) => {
        await sql`select pg_advisory_xact_lock(hashtextextended(encode(${mailbox}::bytea, 'hex') || ${kind}, 0))`.execute(
          tx,
        );
        const recent = sql`from mailbox_mails
          where mailbox = ${mailbox} and kind = ${kind} and at > now() - interval '1 hour' and id <> ${id}::uuid`;
        const { rows } = await sql`
          insert into mailbox_mails (id, mailbox, kind, at)
          select ${id}::uuid, ${mailbox}::bytea, ${kind}::text, now() where (select count(*) ${recent}) < ${max}::int
          on conflict (id) do update set mailbox = excluded.mailbox, at = excluded.at
          returning id`.execute(tx);
        if (rows.length > 0) return undefined;
        const first = await sql<{ seconds: number }>`
          select ceil(extract(epoch from min(at) + interval '1 hour' - now()))::int as seconds ${recent}`.execute(tx);
        return Math.max(first.rows[0]?.seconds ?? 1, 1);
      }),
    forgetCounted: () =>
      kysely.deleteFrom('mailbox_mails').where('at', '<', sql<Date>`now() - interval '1 hour'`).execute(),
    /**
     * Has a message sent with the customer's next digest, an hour after the first of its messages. Nothing changes where another sender
     * has taken over, and sent or held it.
     */
    hold: (id: string) =>
      sql`
        with digest as (
          insert into notifications (id, customer_id, kind, subject, text, created_at, send_at)
          select gen_random_uuid(), customer_id, ${digestKind}, ${en.digest.subject}, ${en.digest.subject},
                 clock_timestamp(), now() + interval '1 hour'
          from notifications where id = ${id}::uuid and sent_at is null and digest_id is null
          on conflict (customer_id) where kind = 'Digest' and attempts = 0 do update set attempts = 0
          returning id
        )
        update notifications set digest_id = digest.id, send_at = null
        from digest
        where notifications.id = ${id}::uuid and sent_at is null and digest_id is null`.execute(kysely),
    postpone: (id: string, seconds: number) =>
      kysely
        .updateTable('notifications')
        .set({ send_at: inSeconds(seconds) })
        .where('id', '=', id)
        .where('sent_at', 'is', null)
        .where('digest_id', 'is', null)
        .execute(),
  };
}
