import type { Database } from '@store/shared/database/database';
import { beginsWith, createKeyset, timeColumn, uuidColumn } from '@store/shared/database/keyset';
import { type Page, readPage } from '@store/shared/database/read-page';
import { likeLiteral, literal, raw, sql } from '@store/shared/database/sql';
import type { Transaction, TransactionOf } from '@store/shared/database/transaction';
import { uuidPrefix } from '@store/shared/values/fields';
import type { Account, PrismaClient } from './generated/client.ts';

export type AccountRepository = ReturnType<typeof createAccountRepository>;

/** For this long after a deletion begins, an account begins no session, so that no session outlives the account. */
const closedSeconds = 30;
/** A deletion must be stored within this time after it begins. */
const deletableSeconds = 15;

const isClosing = (seconds: number) => sql`coalesce(closing_at > now() - ${literal(seconds)} * interval '1 s', false)`;

/** An account as the repository reads it. */
export type StoredAccount = Omit<Account, 'closingAt'> & { isClosing: boolean };

const columns = sql`
  id, name, email, locale, password_hash as "passwordHash", created_at as "createdAt", confirmed_at as "confirmedAt",
  ${isClosing(closedSeconds)} as "isClosing", asked_to_confirm as "askedToConfirm"`;

const accountById = (id: string) => sql`select ${columns} from accounts where id = ${id}`;

/** SQL, because Prisma's `mode: 'insensitive'` is ILIKE: it uses no index and treats an underscore as a wildcard. */
const accountByEmail = (email: string) => sql`select ${columns} from accounts where lower(email) = lower(${email})`;

const newestFirst = createKeyset(
  'accounts',
  { createdAt: timeColumn('created_at'), id: uuidColumn('id') },
  'id',
)([{ field: 'createdAt', direction: 'desc' }]);

/** Matches a literal text in the name or the address, or the beginning of the id. */
function matchesSearch(sought: string) {
  const pattern = `%${likeLiteral(sought)}%`;
  const named = sql`(name ilike ${pattern} or email ilike ${pattern})`;
  const digits = uuidPrefix.safeParse(sought).data;
  return digits === undefined ? named : sql`(${named} or ${beginsWith('id', digits)})`;
}

export function createAccountRepository({ run, transactionOf, lists }: Database<PrismaClient>) {
  return {
    /** SQL, because many requests need an account and a model call costs three times as much. */
    find: async (id: string): Promise<StoredAccount | undefined> => (await run<StoredAccount>(accountById(id)))[0],
    findByEmail: async (email: string): Promise<StoredAccount | undefined> =>
      (await run<StoredAccount>(accountByEmail(email)))[0],
    /** Finds accounts with a text in their names or addresses, or at the beginning of their ids, newest first. */
    search: (sought: string, asked: { size: number; after?: string | undefined }): Promise<Page<StoredAccount>> =>
      lists.inTurn(undefined, () =>
        readPage<StoredAccount>(
          lists.run,
          { select: columns, from: sql`accounts`, where: [matchesSearch(sought)] },
          newestFirst,
          asked,
        ),
      ),
    /** Returns the names of the accounts that exist. */
    namesOf: (ids: string[]) =>
      run<Pick<Account, 'id' | 'name'>>(sql`select id, name from accounts where id = any(${ids}::uuid[])`),
    /** Locks the account with an address until the end of the transaction. */
    lockByEmail: async (tx: Transaction, email: string): Promise<StoredAccount | undefined> =>
      (await tx.run<StoredAccount>(sql`${accountByEmail(email)} for update`))[0],
    /** Locks an account until the end of the transaction. */
    lock: async (tx: Transaction, id: string): Promise<StoredAccount | undefined> =>
      (await tx.run<StoredAccount>(sql`${accountById(id)} for update`))[0],
    /** Changes an account that the transaction has locked. Undefined properties stay as they are. */
    update: (tx: TransactionOf<PrismaClient>, id: string, change: AccountUpdate): Promise<Account> =>
      tx.account.update({ where: { id }, data: change }),
    /** @returns undefined if the e-mail is taken */
    async insert(
      tx: Transaction,
      { id, name, email, locale, passwordHash }: NewAccount,
    ): Promise<StoredAccount | undefined> {
      const [inserted] = await tx.run<StoredAccount>(sql`
        insert into accounts (id, name, email, locale, password_hash, asked_to_confirm)
        values (${id}, ${name}, ${email}, ${locale ?? raw('default')}, ${passwordHash}, true)
        on conflict do nothing
        returning ${columns}`);
      return inserted;
    },
    /** Begins a deletion: from now on the account begins no session. */
    beginClosing: (id: string) =>
      transactionOf(id, (tx) => tx.run(sql`update accounts set closing_at = now() where id = ${id}`)),
    /** Deletes an account with its mail requests. @returns false unless its deletion began less than 15 s ago */
    async delete(tx: Transaction, id: string): Promise<boolean> {
      const deleted = await tx.run(sql`
        delete from accounts where id = ${id} and ${isClosing(deletableSeconds)} returning id`);
      return deleted.length > 0;
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
  confirmedAt?: Date;
}
