import type { Database } from '@store/shared/database/database';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Account } from './generated/client.ts';
import type { DB } from './generated/tables.ts';

export type AccountRepository = ReturnType<typeof createAccountRepository>;

const columns = [
  'id',
  'name',
  'email',
  'locale',
  'password_hash as passwordHash',
  'created_at as createdAt',
  'confirmed_at as confirmedAt',
] as const;

const selectAccounts = (on: Kysely<DB>) => on.selectFrom('accounts').select(columns);

export function createAccountRepository({ kysely, run }: Database<DB>) {
  /** Compiled once, and not Prisma's: many requests need an account (decisions/0007). */
  const select = selectAccounts(kysely).where('id', '=', '').compile();

  return {
    find: async (id: string): Promise<Account | undefined> => (await run<Account>({ ...select, parameters: [id] }))[0],
    /** Not by Prisma's `mode: 'insensitive'`: that is ILIKE, which uses no index and to which an underscore is any character. */
    findByEmail: (email: string): Promise<Account | undefined> =>
      selectAccounts(kysely).where(sql`lower(email)`, '=', sql`lower(${email})`).executeTakeFirst(),
    /** Locks an account until the end of the transaction. */
    lock: (tx: Transaction<DB>, id: string): Promise<Account | undefined> =>
      selectAccounts(tx).where('id', '=', id).forUpdate().executeTakeFirst(),
    /** Leaves undefined properties as they are. */
    update: (
      tx: Transaction<DB>,
      id: string,
      { passwordHash, isConfirmed, ...fields }: AccountUpdate,
    ): Promise<Account | undefined> =>
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
    insert: (tx: Transaction<DB>, { passwordHash, ...account }: NewAccount): Promise<Account | undefined> =>
      tx
        .insertInto('accounts')
        .values({ ...account, password_hash: passwordHash })
        .onConflict((conflict) => conflict.doNothing())
        .returning(columns)
        .executeTakeFirst(),
    /** With its requests for mails. */
    delete: (tx: Transaction<DB>, id: string) => tx.deleteFrom('accounts').where('id', '=', id).execute(),
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
