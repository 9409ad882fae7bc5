import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { deleteInBatches } from '@store/shared/database/batches';
import type { Database } from '@store/shared/database/database';
import { sql } from '@store/shared/database/sql';
import type { Transaction, TransactionOf } from '@store/shared/database/transaction';
import type { PrismaClient } from './generated/client.ts';

/** What the link in a mail does: reset the password, confirm an address, or cancel a change of the address. */
export type Purpose = 'PASSWORD' | 'EMAIL' | 'CANCEL';

interface NewRequest {
  /** Undefined if no account has the address. */
  accountId: string | undefined;
  purpose: Purpose;
  /** The address to confirm. */
  email?: string;
  clientAddress?: string | undefined;
  /** Delay before the mail may be sent; default: none. */
  delaySeconds?: number;
}

export type MailRequestRepository = ReturnType<typeof createMailRequestRepository>;

const isValid = sql`created_at > now() - case purpose when 'PASSWORD'
  then interval '30 minutes' else interval '1 day' end`;

const isDue = sql`due_at <= now() and ended_at is null`;

/** Only the digest is stored, so that nobody who reads the table can use a link. */
const digestOf = (token: string) => createHash('sha256').update(token).digest();

/** The request that a link belongs to. */
interface FoundRequest {
  id: string;
  accountId: string;
  purpose: Purpose;
  email: string | null;
  isUsed: boolean;
}

// A transaction that begins, uses or ends requests of an account must hold the lock of the account's row (account-repository.ts). So
// checking a limit and storing the request are one step, as are using a link and ending all others.
export function createMailRequestRepository({ prisma, run }: Pick<Database<PrismaClient>, 'prisma' | 'run'>) {
  return {
    /** Invalidates the links in an account's mails: all, or those for a purpose. @returns the number of requests ended */
    async endAll(tx: TransactionOf<PrismaClient>, accountId: string, purpose?: Purpose): Promise<number> {
      const where = { accountId, endedAt: null, purpose };
      const { count } = await tx.mailRequest.updateMany({ where, data: { endedAt: new Date(), tokenDigest: null } });
      return count;
    },
    /** Stores a request. @returns its id */
    async begin(tx: TransactionOf<PrismaClient>, { delaySeconds, ...request }: NewRequest): Promise<string> {
      const dueAt = delaySeconds === undefined ? undefined : new Date(Date.now() + delaySeconds * 1000);
      const id = randomUUID();
      await tx.mailRequest.create({ data: { id, ...request, dueAt }, select: { id: true } });
      return id;
    },
    /** Keeps other transactions from counting the requests of a client address until this transaction ends. */
    lockClient: (tx: Transaction, clientAddress: string): void =>
      tx.send(sql`select pg_advisory_xact_lock(hashtextextended(${clientAddress}, 0))`),
    /** Counts the requests of the last hour from a client address, for all accounts. */
    async countOfClient(tx: Transaction, purpose: Purpose, clientAddress: string): Promise<number> {
      const [{ count }] = (await tx.run(sql`
        select count(*)::int as count from mail_requests
        where purpose = ${purpose} and client_address = ${clientAddress} and created_at > now() - interval '1 hour'`)) as [
        { count: number },
      ];
      return count;
    },
    /**
     * Counts the requests of the last hour for an account.
     * @returns all of them, those from a client address, and whether a delayed mail is waiting
     */
    async countOfAccount(tx: Transaction, purpose: Purpose, accountId: string, clientAddress?: string) {
      const [counts] = (await tx.run(sql`
        select count(*)::int as "all",
          count(*) filter (where client_address is not distinct from ${clientAddress}::text)::int as "ofClient",
          coalesce(bool_or(due_at is not null and ended_at is null), false) as "isWaiting"
        from mail_requests
        where purpose = ${purpose} and account_id = ${accountId} and created_at > now() - interval '1 hour'`)) as [
        { all: number; ofClient: number; isWaiting: boolean },
      ];
      return counts;
    },
    /** Tells whether there are mails that have become due. Cheaper than a transaction, since there rarely are. */
    async isAnyDue(): Promise<boolean> {
      const due = await run(sql`select from mail_requests where ${isDue} limit 1`);
      return due.length > 0;
    },
    /**
     * Takes requests whose mails have become due, 100 at most. The lifetime of their links begins now.
     * @returns the requests; concurrent callers get different ones
     */
    takeDue: (tx: Transaction) =>
      tx.run<{ id: string; accountId: string }>(sql`
        update mail_requests set due_at = null, created_at = now()
        where account_id is not null and id in (
          select id from mail_requests where ${isDue} limit 100 for update skip locked)
        returning id, account_id as "accountId"`),
    /**
     * Makes the token for a mail that is about to be sent. An earlier token of the request becomes void.
     * @returns undefined if the request has ended or is too old
     */
    async issueToken(id: string, accountId: string): Promise<{ token: string; email: string | null } | undefined> {
      const token = randomBytes(32).toString('base64url');
      const [row] = await run<{ email: string | null }>(sql`
        update mail_requests set token_digest = ${digestOf(token)}
        where id = ${id} and account_id = ${accountId} and ended_at is null and due_at is null and ${isValid}
        returning email`);
      return row && { token, email: row.email };
    },
    /** Returns the address that an account had before it confirmed a new one with this request. */
    async formerEmail(id: string, accountId: string): Promise<string | undefined> {
      const where = { id, accountId, endedAt: { not: null } };
      const request = await prisma.mailRequest.findUnique({ where, select: { email: true } });
      return request?.email ?? undefined;
    },
    /** Finds a request by the token of its mail, if the token is still valid. */
    async find(token: string, ...purposes: Purpose[]): Promise<FoundRequest | undefined> {
      const [request] = await run<FoundRequest>(sql`
        select id, account_id as "accountId", purpose, email, ended_at is not null as "isUsed" from mail_requests
        where token_digest = ${digestOf(token)} and account_id is not null and purpose = any(${purposes}) and ${isValid}`);
      return request;
    },
    /**
     * Marks a request as used.
     * @param formerEmail the account's address before; null if no mail may be sent to it
     * @returns false if the request has been used or is void
     */
    async use(tx: TransactionOf<PrismaClient>, id: string, formerEmail?: string | null): Promise<boolean> {
      const data = { endedAt: new Date(), email: formerEmail };
      const { count } = await tx.mailRequest.updateMany({ where: { id, endedAt: null }, data });
      return count > 0;
    },
    /** Deletes requests after a day, because no token is valid for longer. */
    async deleteOld(): Promise<void> {
      await deleteInBatches(
        run,
        (limit) => sql`
          delete from mail_requests where id in (
            select id from mail_requests where created_at < now() - interval '1 day' limit ${limit})`,
      );
    },
  };
}
