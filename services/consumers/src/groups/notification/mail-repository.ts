import type { PrismaClient } from '../../generated/client.ts';

export interface DueMail {
  id: string;
  customerId: string;
  subject: string;
  text: string;
  /** This one included. */
  attempts: number;
}

export interface MailRepository {
  /** Messages that are due, at most so many, each for one caller only: it has `holdSeconds` to send them. */
  claim(count: number, holdSeconds: number): Promise<DueMail[]>;
  sent(id: string): Promise<void>;
  postpone(id: string, seconds: number): Promise<void>;
}

export function createMailRepository(prisma: PrismaClient): MailRepository {
  return {
    claim: (count, holdSeconds) =>
      prisma.$queryRaw<DueMail[]>`
        update notifications set send_at = now() + ${holdSeconds}::int * interval '1 s', attempts = attempts + 1
        where id in (
          select id from notifications where send_at <= now() order by send_at limit ${count}::int
          for update skip locked)
        returning id, customer_id as "customerId", subject, text, attempts`,
    async sent(id) {
      await prisma.$executeRaw`update notifications set sent_at = now(), send_at = null where id = ${id}::uuid`;
    },
    async postpone(id, seconds) {
      await prisma.$executeRaw`
        update notifications set send_at = now() + ${seconds}::int * interval '1 s'
        where id = ${id}::uuid and sent_at is null`;
    },
  };
}
