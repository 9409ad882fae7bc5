import type { Database } from '@store/shared/database/database';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { PrismaClient } from './generated/client.ts';
import type { DB } from './generated/tables.ts';

export interface Account {
  id: string;
  name: string;
  email: string;
  /** Language of mails. */
  locale: string;
  createdAt: Date;
}

/** An account with all that only this service knows. */
export interface WholeAccount extends Account {
  passwordHash: string;
  /** When it was shown that mails to the address arrive. */
  confirmedAt: Date | null;
}

export type AccountRepository = ReturnType<typeof createAccountRepository>;

const select = { id: true, name: true, email: true, locale: true, createdAt: true } as const;
const columns = ['id', 'name', 'email', 'locale', 'created_at as createdAt'] as const;
const allColumns = [...columns, 'password_hash as passwordHash', 'confirmed_at as confirmedAt'] as const;

export function createAccountRepository(prisma: PrismaClient, { kysely }: Database<DB>) {
  return {
    find: async (id: string): Promise<Account | undefined> =>
      (await prisma.account.findUnique({ where: { id }, select })) ?? undefined,
    findWhole: async (id: string): Promise<WholeAccount | undefined> =>
      (await prisma.account.findUnique({ where: { id } })) ?? undefined,
    /** Not by Prisma's `mode: 'insensitive'`: that is ILIKE, which uses no index and to which an underscore is any character. */
    findByEmail: (email: string, on: Kysely<DB> = kysely): Promise<WholeAccount | undefined> =>
      on
        .selectFrom('accounts')
        .select(allColumns)
        .where(sql`lower(email)`, '=', sql`lower(${email})`)
        .executeTakeFirst(),
    /** Locks an account until the end of the transaction. */
    lock: (tx: Transaction<DB>, id: string): Promise<WholeAccount | undefined> =>
      tx.selectFrom('accounts').select(allColumns).where('id', '=', id).forUpdate().executeTakeFirst(),
    async update(
      tx: Transaction<DB>,
      id: string,
      { name, locale, email, passwordHash, isConfirmed }: AccountUpdate,
    ): Promise<Account | undefined> {
      return tx
        .updateTable('accounts')
        .set({
          ...(name !== undefined && { name }),
          ...(locale !== undefined && { locale }),
          ...(email !== undefined && { email }),
          ...(passwordHash !== undefined && { password_hash: passwordHash }),
          ...(isConfirmed && { confirmed_at: sql`coalesce(confirmed_at, now())` }),
          id,
        })
        .where('id', '=', id)
        .returning(columns)
        .executeTakeFirst();
    },
    /** @returns undefined if the e-mail is taken */
    insert: (tx: Transaction<DB>, account: NewAccount): Promise<Account | undefined> =>
      tx
        .insertInto('accounts')
        .values({
          id: account.id,
          name: account.name,
          email: account.email,
          password_hash: account.passwordHash,
          ...(account.locale !== undefined && { locale: account.locale }),
        })
        .onConflict((conflict) => conflict.doNothing())
        .returning(columns)
        .executeTakeFirst(),
    /** With its requests for mails. */
    delete: (tx: Transaction<DB>, id: string) => tx.deleteFrom('accounts').where('id', '=', id).execute(),
  };
}

type NewAccount = Pick<WholeAccount, 'id' | 'name' | 'email' | 'passwordHash'> & { locale?: string | undefined };

interface AccountUpdate {
  name?: string | undefined;
  locale?: string | undefined;
  email?: string;
  passwordHash?: string;
  isConfirmed?: true;
}
