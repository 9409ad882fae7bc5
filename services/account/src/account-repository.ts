import type { Database } from '@store/shared/database/database';
import type { Placeholders } from '@store/shared/database/prepared-statements';
import { sql } from 'kysely';
import type { DB } from './generated/tables.ts';

export interface Account {
  id: string;
  name: string;
  email: string;
  createdAt: Date;
}

export type AccountRepository = ReturnType<typeof createAccountRepository>;

const columns = ['id', 'name', 'email', 'created_at as createdAt'] as const;

export function createAccountRepository({ kysely, prepare }: Database<DB>) {
  const select = prepare(({ id }: Placeholders<{ id: string }>) =>
    kysely.selectFrom('accounts').select(columns).where('id', '=', id).compile(),
  );

  return {
    find: async (id: string): Promise<Account | undefined> => (await select({ id }))[0],
    /** Not by Prisma's `mode: 'insensitive'`: that is ILIKE, to which an underscore is any character. */
    findByEmail: (email: string): Promise<(Account & { passwordHash: string }) | undefined> =>
      kysely
        .selectFrom('accounts')
        .select([...columns, 'password_hash as passwordHash'])
        .where(sql`lower(email)`, '=', sql`lower(${email})`)
        .executeTakeFirst(),
    /** @returns undefined if the e-mail is taken */
    insert: ({ passwordHash, ...account }: Omit<Account, 'createdAt'> & { passwordHash: string }) =>
      kysely
        .insertInto('accounts')
        .values({ ...account, password_hash: passwordHash })
        .onConflict((conflict) => conflict.expression(sql`lower(email)`).doNothing())
        .returning(columns)
        .executeTakeFirst(),
  };
}
