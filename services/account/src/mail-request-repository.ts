import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { deleteInBatches } from '@store/shared/database/batches';
import { dayMs } from '@store/shared/values/time';
import { type Kysely, type NotNull, sql, type Transaction } from 'kysely';
import type { PrismaClient } from './generated/client.ts';
import type { DB } from './generated/tables.ts';

/** The use of the link in a mail: to set the password anew, or to confirm an address. */
export type Purpose = 'PASSWORD' | 'EMAIL';

interface NewRequest {
  /** None where no account has the address. */
  accountId: string | undefined;
  purpose: Purpose;
  /** The address to be confirmed. */
  email?: string;
  clientAddress?: string | undefined;
}

export type MailRequestRepository = ReturnType<typeof createMailRequestRepository>;

const isValid = sql<boolean>`created_at > now() - case purpose when 'PASSWORD'
  then interval '30 minutes' else interval '1 day' end`;
/** As long as any token is valid. */
const keptMs = dayMs;

/** Only this is stored: who reads the table can use no link. */
const digestOf = (token: string) => createHash('sha256').update(token).digest();

/** Makes the links of an account's mails void. */
async function endAll(tx: Transaction<DB>, accountId: string, purpose: Purpose): Promise<void> {
  await tx
    .updateTable('mail_requests')
    .set({ ended_at: sql`now()`, token_digest: null })
    .where('account_id', '=', accountId)
    .where('purpose', '=', purpose)
    .where('ended_at', 'is', null)
    .execute();
}

export function createMailRequestRepository(prisma: PrismaClient, kysely: Kysely<DB>) {
  return {
    endAll,
    /** Stores a request, which ends the account's earlier ones for this purpose: their links are void. @returns its id */
    async begin(tx: Transaction<DB>, request: NewRequest): Promise<string> {
      const { accountId, purpose, email, clientAddress } = request;
      const id = randomUUID();
      if (accountId !== undefined) await endAll(tx, accountId, purpose);
      await tx
        .insertInto('mail_requests')
        .values({ id, account_id: accountId, purpose, email, client_address: clientAddress })
        .execute();
      return id;
    },
    /** Counts the requests of the last hour. */
    async countRecent(purpose: Purpose, by: { accountId: string } | { clientAddress: string }): Promise<number> {
      return prisma.mailRequest.count({
        where: { purpose, ...by, createdAt: { gt: new Date(Date.now() - 3_600_000) } },
      });
    },
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
    find: (token: string, purpose: Purpose) =>
      kysely
        .selectFrom('mail_requests')
        .select(['id', 'account_id as accountId', 'email', sql<boolean>`ended_at is not null`.as('isUsed')])
        .where('token_digest', '=', digestOf(token))
        .where('account_id', 'is not', null)
        .where('purpose', '=', purpose)
        .where(isValid)
        .$narrowType<{ accountId: NotNull }>()
        .executeTakeFirst(),
    /** @returns false if it has been used, or another has taken its place */
    async use(tx: Transaction<DB>, id: string, formerEmail?: string): Promise<boolean> {
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
