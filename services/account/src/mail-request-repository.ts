import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { deleteInBatches } from '@store/shared/database/batches';
import type { Database } from '@store/shared/database/database';
import { sql } from '@store/shared/database/sql';
import type { Transaction, TransactionOf } from '@store/shared/database/transaction';
import type { PrismaClient } from './generated/client.ts';

/** The use of the link in a mail: to set the password anew, to confirm an address, or to cancel a change of it. */
export type Purpose = 'PASSWORD' | 'EMAIL' | 'CANCEL';

interface NewRequest {
  /** None where no account has the address. */
  accountId: string | undefined;
  purpose: Purpose;
  /** The address to be confirmed. */
  email?: string;
  clientAddress?: string | undefined;
  /** Until its mail may be sent; default: none. */
  delaySeconds?: number;
}

export type MailRequestRepository = ReturnType<typeof createMailRequestRepository>;

const isValid = sql`created_at > now() - case purpose when 'PASSWORD'
  then interval '30 minutes' else interval '1 day' end`;

/** Only this is stored: who reads the table can use no link. */
const digestOf = (token: string) => createHash('sha256').update(token).digest();

/** What a link that was found leads to. */
interface FoundRequest {
  id: string;
  accountId: string;
  purpose: Purpose;
  email: string | null;
  isUsed: boolean;
}

// What begins, uses or ends requests of an account holds the lock of its row (account-repository.ts), so that a limit and the
// request that it counts are one step, and so are the use of a link and the end of all others.
export function createMailRequestRepository({ prisma, run }: Pick<Database<PrismaClient>, 'prisma' | 'run'>) {
  return {
    /** Makes the links of an account's mails void: all of them, or those for a purpose. @returns how many requests that ends */
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
    /** Until the end of the transaction nobody else counts the requests of a client address. */
    lockClient: (tx: Transaction, clientAddress: string) =>
      tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${clientAddress}, 0))`),
    /** Counts the requests of the last hour from a client address, for whichever account. */
    async countOfClient(tx: Transaction, purpose: Purpose, clientAddress: string): Promise<number> {
      const [{ count }] = (await tx.run(sql`
        select count(*)::int as count from mail_requests
        where purpose = ${purpose} and client_address = ${clientAddress} and created_at > now() - interval '1 hour'`)) as [
        { count: number },
      ];
      return count;
    },
    /** Counts the requests of the last hour for an account, and those of them from a client address. */
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
    /**
     * Takes requests whose mails have become due, 100 at most. The time of their links begins now.
     * @returns the requests, each for one caller
     */
    takeDue: (tx: Transaction) =>
      tx.run<{ id: string; accountId: string }>(sql`
        update mail_requests set due_at = null, created_at = now()
        where account_id is not null and id in (
          select id from mail_requests where due_at <= now() and ended_at is null limit 100 for update skip locked)
        returning id, account_id as "accountId"`),
    /**
     * Makes the token of a mail that is about to be sent; one that was made before is void.
     * @returns undefined if the request has ended, or is too old
     */
    async issueToken(id: string, accountId: string): Promise<{ token: string; email: string | null } | undefined> {
      const token = randomBytes(32).toString('base64url');
      const [row] = await run<{ email: string | null }>(sql`
        update mail_requests set token_digest = ${digestOf(token)}
        where id = ${id} and account_id = ${accountId} and ended_at is null and due_at is null and ${isValid}
        returning email`);
      return row && { token, email: row.email };
    },
    /** The former address of an account that has confirmed another one by this request. */
    async formerEmail(id: string, accountId: string): Promise<string | undefined> {
      const where = { id, accountId, endedAt: { not: null } };
      const request = await prisma.mailRequest.findUnique({ where, select: { email: true } });
      return request?.email ?? undefined;
    },
    /** Finds a request by the token of its mail, as long as that is valid. */
    async find(token: string, ...purposes: Purpose[]): Promise<FoundRequest | undefined> {
      const [request] = await run<FoundRequest>(sql`
        select id, account_id as "accountId", purpose, email, ended_at is not null as "isUsed" from mail_requests
        where token_digest = ${digestOf(token)} and account_id is not null and purpose = any(${purposes}) and ${isValid}`);
      return request;
    },
    /**
     * @param formerEmail null if it is not to be told
     * @returns false if it has been used, or is void
     */
    async use(tx: TransactionOf<PrismaClient>, id: string, formerEmail?: string | null): Promise<boolean> {
      const data = { endedAt: new Date(), email: formerEmail };
      const { count } = await tx.mailRequest.updateMany({ where: { id, endedAt: null }, data });
      return count > 0;
    },
    /** A day is as long as any token is valid. */
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
