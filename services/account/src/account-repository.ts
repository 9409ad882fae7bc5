import { type Kysely, sql } from 'kysely';
import type { PrismaClient } from './generated/client.ts';
import type { DB } from './generated/tables.ts';

export interface Account {
  id: string;
  name: string;
  email: string;
  createdAt: Date;
}

export type AccountRepository = ReturnType<typeof createAccountRepository>;

const columns = ['id', 'name', 'email', 'created_at as createdAt'] as const;

export function createAccountRepository(prisma: PrismaClient, kysely: Kysely<DB>) {
  return {
    async find(id: string): Promise<Account | undefined> {
      const select = { id: true, name: true, email: true, createdAt: true };
      return (await prisma.account.findUnique({ where: { id }, select })) ?? undefined;
    },
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
