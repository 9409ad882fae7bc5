import type { Database } from '@store/shared/database/database';
import { beginsWith, createKeyset, timeColumn, uuidColumn } from '@store/shared/database/keyset';
import { type Page, readPage } from '@store/shared/database/read-page';
import { uuidPrefix } from '@store/shared/values/fields';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Account } from './generated/client.ts';
import type { DB } from './generated/tables.ts';

export type AccountRepository = ReturnType<typeof createAccountRepository>;

/** For so long after the beginning of a deletion an account begins no session, so that none outlives it. */
const closedSeconds = 30;
/** Until then the deletion has to be done. */
const deletableSeconds = 15;

const isClosing = (seconds: number) =>
  sql<boolean>`coalesce(closing_at > now() - ${sql.lit(seconds)} * interval '1 s', false)`;

/** An account as it is stored. */
export type StoredAccount = Omit<Account, 'closingAt'> & { isClosing: boolean };

const columns = [
  'id',
  'name',
  'email',
  'locale',
  'password_hash as passwordHash',
  'created_at as createdAt',
  'confirmed_at as confirmedAt',
  isClosing(closedSeconds).as('isClosing'),
  'asked_to_confirm as askedToConfirm',
] as const;

const newestFirst = createKeyset(
  'accounts',
  { createdAt: timeColumn('created_at'), id: uuidColumn('id') },
  'id',
)([{ field: 'createdAt', direction: 'desc' }]);

/** A text in the name or the address, which is no pattern, or the beginning of the id. */
function isMeant(sought: string) {
  const pattern = `%${sought.replaceAll(/[\\%_]/g, '\\$&')}%`;
  const named = sql<boolean>`(name ilike ${pattern} or email ilike ${pattern})`;
  const digits = uuidPrefix.safeParse(sought).data;
  return digits === undefined ? named : sql<boolean>`(${named} or ${beginsWith('id', digits)})`;
}

const selectAccounts = (on: Kysely<DB>) => on.selectFrom('accounts').select(columns);

export function createAccountRepository({ kysely, run, transactionOf, lists }: Database<DB>) {
  /** Compiled once, and not Prisma's: many requests need an account (decisions/0007). */
  const select = selectAccounts(kysely).where('id', '=', '').compile();

  return {
    find: async (id: string): Promise<StoredAccount | undefined> =>
      (await run<StoredAccount>({ ...select, parameters: [id] }))[0],
    /** Not by Prisma's `mode: 'insensitive'`: that is ILIKE, which uses no index and to which an underscore is any character. */
    findByEmail: (email: string): Promise<StoredAccount | undefined> =>
      selectAccounts(kysely).where(sql`lower(email)`, '=', sql`lower(${email})`).executeTakeFirst(),
    /** Finds accounts with a text in their names or addresses, or at the beginning of their ids, the newest first. */
    search: (sought: string, asked: { size: number; after?: string | undefined }): Promise<Page<StoredAccount>> =>
      lists.inTurn(undefined, () => readPage(selectAccounts(lists.kysely).where(isMeant(sought)), newestFirst, asked)),
    /** Finds the names of accounts. */
    namesOf: (ids: string[]) => kysely.selectFrom('accounts').select(['id', 'name']).where('id', 'in', ids).execute(),
    /** Locks the account that has an address until the end of the transaction. */
    lockByEmail: (tx: Transaction<DB>, email: string): Promise<StoredAccount | undefined> =>
      selectAccounts(tx).where(sql`lower(email)`, '=', sql`lower(${email})`).forUpdate().executeTakeFirst(),
    /** Locks an account until the end of the transaction. */
    lock: (tx: Transaction<DB>, id: string): Promise<StoredAccount | undefined> =>
      selectAccounts(tx).where('id', '=', id).forUpdate().executeTakeFirst(),
    /** Leaves undefined properties as they are. */
    update: (
      tx: Transaction<DB>,
      id: string,
      { passwordHash, isConfirmed, ...fields }: AccountUpdate,
    ): Promise<StoredAccount | undefined> =>
      tx
        .updateTable('accounts')
        .set({
          ...fields,
          password_hash: passwordHash,
          confirmed_at: isConfirmed && sql`coalesce(confirmed_at, now())`,
          id, // so that something is set
        })
        .where('id', '=', id)
        .returning(columns)
        .executeTakeFirst(),
    /** @returns undefined if the e-mail is taken */
    insert: (tx: Transaction<DB>, { passwordHash, ...account }: NewAccount): Promise<StoredAccount | undefined> =>
      tx
        .insertInto('accounts')
        .values({ ...account, password_hash: passwordHash, asked_to_confirm: true })
        .onConflict((conflict) => conflict.doNothing())
        .returning(columns)
        .executeTakeFirst(),
    /** Begins a deletion: from now on no session of the account begins. */
    beginClosing: (id: string) =>
      transactionOf(id, (tx) =>
        tx.updateTable('accounts').set({ closing_at: sql`now()` }).where('id', '=', id).execute(),
      ),
    /** Deletes an account with its requests for mails. @returns false unless its deletion began a moment ago */
    async delete(tx: Transaction<DB>, id: string): Promise<boolean> {
      const { numDeletedRows } = await tx
        .deleteFrom('accounts')
        .where('id', '=', id)
        .where(isClosing(deletableSeconds))
        .executeTakeFirstOrThrow();
      return numDeletedRows > 0n;
    },
  };
}

type NewAccount = Pick<Account, 'id' | 'name' | 'email' | 'passwordHash'> & { locale?: string | undefined };

interface AccountUpdate {
  name?: string | undefined;
  /** Language of mails. */
  locale?: string | undefined;
  email?: string;
  passwordHash?: string;
  isConfirmed?: true;
}
