import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { deleteInBatches } from '@store/shared/database/batches';
import { dayMs } from '@store/shared/values/time';
import { type Kysely, type NotNull, sql, type Transaction } from 'kysely';
import type { PrismaClient } from './generated/client.ts';
import type { DB } from './generated/tables.ts';

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

const isValid = sql<boolean>`created_at > now() - case purpose when 'PASSWORD'
  then interval '30 minutes' else interval '1 day' end`;
/** As long as any token is valid. */
const keptMs = dayMs;

/** Only this is stored: who reads the table can use no link. */
const digestOf = (token: string) => createHash('sha256').update(token).digest();

const recentOf = (tx: Transaction<DB>, purpose: Purpose) =>
  tx
    .selectFrom('mail_requests')
    .where('purpose', '=', purpose)
    .where('created_at', '>', sql<Date>`now() - interval '1 hour'`);

// What begins, uses or ends requests of an account holds the lock of its row (account-repository.ts), so that a limit and the
// request that it counts are one step, and so are the use of a link and the end of all others.
export function createMailRequestRepository(prisma: PrismaClient, kysely: Kysely<DB>) {
  return {
    /** Makes the links of an account's mails void: all of them, or those for a purpose. @returns how many requests that ends */
    async endAll(tx: Transaction<DB>, accountId: string, purpose?: Purpose): Promise<number> {
      const open = tx
        .updateTable('mail_requests')
        .set({ ended_at: sql`now()`, token_digest: null })
        .where('account_id', '=', accountId)
        .where('ended_at', 'is', null);
      const ended = purpose === undefined ? open : open.where('purpose', '=', purpose);
      return Number((await ended.executeTakeFirstOrThrow()).numUpdatedRows);
    },
    /** Stores a request. @returns its id */
    async begin(tx: Transaction<DB>, request: NewRequest): Promise<string> {
      const { accountId, purpose, email, clientAddress, delaySeconds } = request;
      const id = randomUUID();
      const dueAt = delaySeconds === undefined ? undefined : sql<Date>`now() + make_interval(secs => ${delaySeconds})`;
      await tx
        .insertInto('mail_requests')
        .values({ id, account_id: accountId, purpose, email, client_address: clientAddress, due_at: dueAt })
        .execute();
      return id;
    },
    /** Until the end of the transaction nobody else counts the requests of a client address. */
    lockClient: (tx: Transaction<DB>, clientAddress: string) =>
      sql`select pg_advisory_xact_lock(hashtextextended(${clientAddress}, 0))`.execute(tx),
    /** Counts the requests of the last hour from a client address, for whichever account. */
    async countOfClient(tx: Transaction<DB>, purpose: Purpose, clientAddress: string): Promise<number> {
      const { count } = await recentOf(tx, purpose)
        .where('client_address', '=', clientAddress)
        .select(sql<number>`count(*)::int`.as('count'))
        .executeTakeFirstOrThrow();
      return count;
    },
    /** Counts the requests of the last hour for an account, and those of them from a client address. */
    countOfAccount: (tx: Transaction<DB>, purpose: Purpose, accountId: string, clientAddress?: string) =>
      recentOf(tx, purpose)
        .where('account_id', '=', accountId)
        .select([
          sql<number>`count(*)::int`.as('all'),
          sql<number>`count(*) filter (where client_address is not distinct from ${clientAddress ?? null})::int`.as(
            'ofClient',
          ),
          sql<boolean>`coalesce(bool_or(due_at is not null and ended_at is null), false)`.as('isWaiting'),
        ])
        .executeTakeFirstOrThrow(),
    /**
     * Takes requests whose mails have become due, 100 at most. The time of their links begins now.
     * @returns the requests, each for one caller
     */
    takeDue: (tx: Transaction<DB>) =>
      tx
        .updateTable('mail_requests')
        .set({ due_at: null, created_at: sql`now()` })
        .where('id', 'in', (db) =>
          db
            .selectFrom('mail_requests')
            .select('id')
            .where('due_at', '<=', sql<Date>`now()`)
            .where('ended_at', 'is', null)
            .limit(100)
            .forUpdate()
            .skipLocked(),
        )
        .where('account_id', 'is not', null)
        .returning(['id', 'account_id as accountId'])
        .$narrowType<{ accountId: NotNull }>()
        .execute(),
    /**
     * Makes the token of a mail that is about to be sent; one that was made before is void.
     * @returns undefined if the request has ended, or is too old
     */
    async issueToken(id: string, accountId: string): Promise<{ token: string; email: string | null } | undefined> {
      const token = randomBytes(32).toString('base64url');
      const row = await kysely
        .updateTable('mail_requests')
        .set({ token_digest: digestOf(token) })
        .where('id', '=', id)
        .where('account_id', '=', accountId)
        .where('ended_at', 'is', null)
        .where('due_at', 'is', null)
        .where(isValid)
        .returning('email')
        .executeTakeFirst();
      return row && { token, email: row.email };
    },
    /** The former address of an account that has confirmed another one by this request. */
    async formerEmail(id: string, accountId: string): Promise<string | undefined> {
      const row = await prisma.mailRequest.findUnique({ where: { id, accountId, endedAt: { not: null } } });
      return row?.email ?? undefined;
    },
    /** Finds a request by the token of its mail, as long as that is valid. */
    find: (token: string, ...purposes: Purpose[]) =>
      kysely
        .selectFrom('mail_requests')
        .select(['id', 'account_id as accountId', 'email', sql<boolean>`ended_at is not null`.as('isUsed')])
        .select(sql<Purpose>`purpose`.as('purpose'))
        .where('token_digest', '=', digestOf(token))
        .where('account_id', 'is not', null)
        .where('purpose', 'in', purposes)
        .where(isValid)
        .$narrowType<{ accountId: NotNull }>()
        .executeTakeFirst(),
    /**
     * @param formerEmail null if it is not to be told
     * @returns false if it has been used, or is void
     */
    async use(tx: Transaction<DB>, id: string, formerEmail?: string | null): Promise<boolean> {
      const { numUpdatedRows } = await tx
        .updateTable('mail_requests')
        .set({ ended_at: sql`now()`, ...(formerEmail !== undefined && { email: formerEmail }) })
        .where('id', '=', id)
        .where('ended_at', 'is', null)
        .executeTakeFirstOrThrow();
      return numUpdatedRows > 0n;
    },
    async deleteOld(): Promise<void> {
      const createdAt = { lt: new Date(Date.now() - keptMs) };
      await deleteInBatches((limit) => prisma.mailRequest.deleteMany({ where: { createdAt }, limit }));
    },
  };
}
