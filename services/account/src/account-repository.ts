import type { PrismaClient } from './generated/client.ts';

export interface Account {
  id: string;
  name: string;
  email: string;
  createdAt: Date;
}

export type AccountRepository = ReturnType<typeof createAccountRepository>;

export function createAccountRepository(prisma: PrismaClient) {
  return {
    async find(id: string): Promise<Account | undefined> {
      const select = { id: true, name: true, email: true, createdAt: true };
      return (await prisma.account.findUnique({ where: { id }, select })) ?? undefined;
    },
    /** Not Prisma's `mode: 'insensitive'`: that is ILIKE, to which an underscore is any character. */
    async findByEmail(email: string): Promise<(Account & { passwordHash: string }) | undefined> {
      const [row] = await prisma.$queryRaw<(Account & { passwordHash: string })[]>`
        select id::text, name, email, created_at as "createdAt", password_hash as "passwordHash"
        from accounts where lower(email) = lower(${email})`;
      return row;
    },
    /** @returns undefined when the e-mail is taken */
    async insert(account: Omit<Account, 'createdAt'> & { passwordHash: string }): Promise<Account | undefined> {
      const { id, name, email, passwordHash } = account;
      const [row] = await prisma.$queryRaw<Account[]>`
        insert into accounts (id, name, email, password_hash) values (${id}::uuid, ${name}, ${email}, ${passwordHash})
        on conflict (lower(email)) do nothing
        returning id::text, name, email, created_at as "createdAt"`;
      return row;
    },
  };
}
