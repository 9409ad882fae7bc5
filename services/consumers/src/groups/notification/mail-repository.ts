import type { Database } from '@store/shared/database/database';
import { sql } from '@store/shared/database/sql';
import type { Transaction } from '@store/shared/database/transaction';
import type { CallTable, ClaimedCall } from '@store/shared/outgoing/outgoing';
import { storable } from '@store/shared/values/text';
import type { PrismaClient } from '../../generated/client.ts';
import { en } from './mails/en.ts';
import type { MailSource } from './mails/mail.ts';
import { digestKind } from './mails/words.ts';

/** The messages that are to be mailed, as a queue of `outgoing`. */
export const mailQueue = 'mail';

export interface DueMail extends MailSource, ClaimedCall {
  createdAt: Date;
}

interface CountedMail {
  /** The id of the message. */
  id: string;
  /** The SHA-256 of the address in lower case. */
  mailbox: Buffer;
  /** The limit that the mail counts against. */
  kind: string;
  max: number;
}

export const mailTable: CallTable<DueMail> = {
  table: 'notifications',
  due: 'send_at',
  columns: sql`customer_id as "customerId", kind, data, subject, text, created_at as "createdAt"`,
  claim: ({ run }, statement) => run<DueMail>(statement),
};

export type MailRepository = ReturnType<typeof createMailRepository>;

const source = { id: true, customerId: true, kind: true, data: true, subject: true, text: true } as const;

/** A message and, if it is a digest, its parts. */
const withParts = (id: string) => sql`(id = ${id}::uuid or digest_id = ${id}::uuid)`;

export function createMailRepository({ prisma, run, inTransaction }: Database<PrismaClient>) {
  return {
    async find(id: string): Promise<MailSource | undefined> {
      const row = await prisma.notification.findUnique({ where: { id }, select: source });
      return row === null ? undefined : (row as MailSource);
    },
    newest: () =>
      prisma.notification.findMany({
        select: { id: true, customerId: true, kind: true, subject: true, createdAt: true },
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
        take: 100,
      }),
    /** The messages of a claimed digest, which gets no more of them. */
    async parts(digestId: string): Promise<MailSource[]> {
      const rows = await prisma.notification.findMany({
        where: { digestId },
        select: source,
        orderBy: { createdAt: 'asc' },
      });
      return rows as MailSource[];
    },
    /**
     * Counts a mail to a mailbox, unless `max` of its kind were counted within an hour. Retries of a mail count once.
     * @returns the seconds until the next mail can be counted; undefined if this mail was counted
     */
    count: ({ id, mailbox, kind, max }: CountedMail): Promise<number | undefined> =>
      inTransaction(async (tx) => {
        tx.send(sql`
          select pg_advisory_xact_lock(hashtextextended(encode(${mailbox}::bytea, 'hex') || ${kind}::text, 0))`);
        const recent = sql`from mailbox_mails
          where mailbox = ${mailbox} and kind = ${kind} and at > now() - interval '1 hour' and id <> ${id}::uuid`;
        const counted = await tx.run(sql`
          insert into mailbox_mails (id, mailbox, kind, at)
          select ${id}::uuid, ${mailbox}::bytea, ${kind}::text, now() where (select count(*) ${recent}) < ${max}::int
          on conflict (id) do update set mailbox = excluded.mailbox, at = excluded.at
          returning id`);
        if (counted.length > 0) return undefined;
        const [first] = await tx.run<{ seconds: number | null }>(sql`
          select ceil(extract(epoch from min(at) + interval '1 hour' - now()))::int as seconds ${recent}`);
        return Math.max(first?.seconds ?? 1, 1);
      }),
    deleteOldCounts: () => run(sql`delete from mailbox_mails where at < now() - interval '1 hour'`),
  };
}

// `outgoing` sets when a message is due next, in the same transaction.

export function markSent({ send }: Transaction, id: string): void {
  send(sql`update notifications set sent_at = now() where ${withParts(id)}`);
}

/** @param reason at most 500 characters are kept */
export function markRefused({ send }: Transaction, id: string, reason: string): void {
  send(sql`
    update notifications set refusal = ${storable(reason, 500)}
    where ${withParts(id)} and sent_at is null`);
}

/** Adds a message to the customer's next digest, which is sent an hour after its first message was added. */
export function addToDigest({ send }: Transaction, id: string): void {
  send(sql`
    with digest as (
      insert into notifications (id, customer_id, kind, subject, text, created_at, send_at)
      select gen_random_uuid(), customer_id, ${digestKind}, ${en.digest.subject}, ${en.digest.subject},
             clock_timestamp(), now() + interval '1 hour'
      from notifications where id = ${id}::uuid
      on conflict (customer_id) where kind = 'Digest' and attempts = 0 do update set attempts = 0
      returning id
    )
    update notifications set digest_id = digest.id
    from digest where notifications.id = ${id}::uuid`);
}
