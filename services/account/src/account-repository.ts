import type { Database } from '@store/shared/database/database';
import { sql } from 'kysely';
import type { PrismaClient } from './generated/client.ts';
import type { DB } from './generated/tables.ts';

export interface Account {
  id: string;
  name: string;
  email: string;
  createdAt: Date;
}

export type AccountRepository = ReturnType<typeof createAccountRepository>;

const select = { id: true, name: true, email: true, createdAt: true } as const;

export function createAccountRepository(prisma: PrismaClient, { kysely }: Database<DB>) {
  return {
    find: async (id: string): Promise<Account | undefined> =>
      (await prisma.account.findUnique({ where: { id }, select })) ?? undefined,
    /** Not by Prisma's `mode: 'insensitive'`: that is ILIKE, which uses no index and to which an underscore is any character. */
    findByEmail: (email: string): Promise<(Account & { passwordHash: string }) | undefined> =>
      kysely
        .selectFrom('accounts')
        .select(['id', 'name', 'email', 'created_at as createdAt', 'password_hash as passwordHash'])
        .where(sql`lower(email)`, '=', sql`lower(${email})`)
        .executeTakeFirst(),
    /**
     * @param check called with the account as it is, which stays so until it is changed; where it throws, nothing is
     * @returns undefined if there is no such account
     */
    rename: (id: string, name: string, check: (current: Account) => void): Promise<Account | undefined> =>
      prisma.$transaction(async (tx) => {
        await tx.$queryRaw`select from accounts where id = ${id}::uuid for update`;
        const current = await tx.account.findUnique({ where: { id }, select });
        if (current === null) return undefined;
        check(current);
        return tx.account.update({ where: { id }, data: { name }, select });
      }),
    /** @returns false if there is no such account */
    async setPassword(id: string, passwordHash: string): Promise<boolean> {
      const { count } = await prisma.account.updateMany({ where: { id }, data: { passwordHash } });
      return count > 0;
    },
    /** @returns undefined if the e-mail is taken */
    async insert(account: Omit<Account, 'createdAt'> & { passwordHash: string }): Promise<Account | undefined> {
      const [stored] = await prisma.account.createManyAndReturn({ data: account, skipDuplicates: true, select });
      return stored;
    },
  };
}
