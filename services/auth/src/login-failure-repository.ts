import { deleteInBatches } from '@store/shared/database/batches';
import type { Database } from '@store/shared/database/database';
import { literal, type Sql, sql } from '@store/shared/database/sql';
import type { PrismaClient } from './generated/client.ts';

export type LoginFailureRepository = ReturnType<typeof createLoginFailureRepository>;

/** Logins with an address that may fail or be in flight before the first delay. */
const freeFailures = 10;
const maxDelaySeconds = 900;

/** An hour without a login clears the failures, so that rows of guessed addresses do not pile up. */
const isExpired = sql`login_failures.last_at <= now() - interval '1 hour'`;

/** Lowercases in SQL as the account service does, because that service decides which spellings mean the same account. */
const digestOf = (email: string) => sql`sha256(convert_to(lower(${email}), 'UTF8'))`;

/** Null before the tenth failure. Then 1 s, doubled by each further failure, up to 15 minutes. */
function blockedAfter(failures: Sql): Sql {
  const [free, max] = [literal(freeFailures), literal(maxDelaySeconds)];
  const seconds = sql`least(2 ^ least(${failures} - ${free}, 10), ${max})`;
  return sql`case when ${failures} >= ${free} then now() + make_interval(secs => ${seconds}) end`;
}

export function createLoginFailureRepository({ run, transactionOf }: Database<PrismaClient>) {
  const failures = sql`(case when ${isExpired} then 1 else login_failures.failures + 1 end)`;

  return {
    /**
     * Counts a login as failed before its password is checked, so that parallel guesses all count.
     * @returns when it was counted, in seconds since 1970; undefined during a delay, which counts nothing
     */
    async count(email: string): Promise<number | undefined> {
      const [counted] = await transactionOf(email.toLowerCase(), (tx) =>
        tx.run<{ at: number }>(sql`
          insert into login_failures (email_digest, failures, last_at) values (${digestOf(email)}, 1, now())
          on conflict (email_digest) do update
            set failures = ${failures}, blocked_until = ${blockedAfter(failures)}, last_at = now()
            where coalesce(login_failures.blocked_until <= now(), true)
          returning extract(epoch from now())::float8 as at`),
      );
      return counted?.at;
    },

    /** @returns seconds until the delay is over, at least 1 */
    async delayOf(email: string): Promise<number> {
      const [row] = await run<{ seconds: number | null }>(sql`
        select ceil(extract(epoch from blocked_until - now()))::int as seconds
        from login_failures where email_digest = ${digestOf(email)}`);
      return Math.max(row?.seconds ?? 1, 1);
    },

    /** Undoes `count` if the password could not be checked. Clears its delay too, unless a later failure has set a new one. */
    async uncount(email: string, at: number): Promise<void> {
      await run(sql`
        update login_failures set
          failures = greatest(failures - 1, 0),
          blocked_until = case when extract(epoch from last_at)::float8 = ${at} then null else blocked_until end
        where email_digest = ${digestOf(email)}`);
    },

    /** Clears the failures of a customer who gave the right password or set a new one. */
    async forget(email: string): Promise<void> {
      await run(sql`delete from login_failures where email_digest = ${digestOf(email)}`);
    },

    async deleteExpired(): Promise<void> {
      await deleteInBatches(
        run,
        // Repeat the condition: a login may have been counted since the subquery.
        (limit) => sql`
          delete from login_failures
          where ${isExpired} and email_digest in (
            select email_digest from login_failures where ${isExpired} limit ${limit})`,
      );
    },
  };
}
