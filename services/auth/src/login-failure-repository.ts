import { deleteInBatches } from '@store/shared/database/batches';
import type { Database } from '@store/shared/database/database';
import { type RawBuilder, sql } from 'kysely';
import type { DB } from './generated/tables.ts';

export type LoginFailureRepository = ReturnType<typeof createLoginFailureRepository>;

/** How many logins with an address may fail, or be in flight, before the first delay. */
const freeFailures = 10;
const maxDelaySeconds = 900;

/** Without a login in between, the failures are forgotten, so that rows of guessed addresses do not pile up. */
const isForgotten = sql<boolean>`login_failures.last_at <= now() - interval '1 hour'`;

/** lower() is that of the account service, which has the last word on which spellings mean one account. */
const digestOf = (email: string) => sql<Buffer>`sha256(convert_to(lower(${email}), 'UTF8'))`;

/** Null before the tenth failure; 1 s after it, and twice as long after each further one. */
function blockedAfter(failures: RawBuilder<number>): RawBuilder<Date | null> {
  const [free, max] = [sql.lit(freeFailures), sql.lit(maxDelaySeconds)];
  const seconds = sql`least(2 ^ least(${failures} - ${free}, 10), ${max})`;
  return sql`case when ${failures} >= ${free} then now() + make_interval(secs => ${seconds}) end`;
}

export function createLoginFailureRepository({ kysely, transactionOf }: Database<DB>) {
  const failures = sql<number>`case when ${isForgotten} then 1 else login_failures.failures + 1 end`;

  return {
    /**
     * Counts a login as failed before its password is checked, so that parallel guesses count one another.
     * @returns when it was counted, in seconds since 1970; undefined during a delay
     */
    async count(email: string): Promise<number | undefined> {
      const counted = await transactionOf(email.toLowerCase(), (tx) =>
        tx
          .insertInto('login_failures')
          .values({ email_digest: digestOf(email), failures: 1, last_at: sql`now()` })
          .onConflict((conflict) =>
            conflict
              .column('email_digest')
              .doUpdateSet({ failures, blocked_until: blockedAfter(failures), last_at: sql`now()` })
              .where(sql<boolean>`coalesce(login_failures.blocked_until <= now(), true)`),
          )
          .returning(sql<number>`extract(epoch from now())::float8`.as('at'))
          .executeTakeFirst(),
      );
      return counted?.at;
    },

    /** @returns seconds until the delay is over, at least 1 */
    async delayOf(email: string): Promise<number> {
      const row = await kysely
        .selectFrom('login_failures')
        .select(sql<number>`ceil(extract(epoch from blocked_until - now()))::int`.as('seconds'))
        .where('email_digest', '=', digestOf(email))
        .executeTakeFirst();
      return Math.max(row?.seconds ?? 1, 1);
    },

    /** Takes back what was counted then, with its delay, but not that of a later failure: the password could not be checked. */
    async uncount(email: string, at: number): Promise<void> {
      const isLast = sql<boolean>`extract(epoch from last_at)::float8 = ${at}`;
      await kysely
        .updateTable('login_failures')
        .set({
          failures: sql`greatest(failures - 1, 0)`,
          blocked_until: sql`case when ${isLast} then null else blocked_until end`,
        })
        .where('email_digest', '=', digestOf(email))
        .execute();
    },

    /** For a customer who has the right password, or has set a new one. */
    async forget(email: string): Promise<void> {
      await kysely.deleteFrom('login_failures').where('email_digest', '=', digestOf(email)).execute();
    },

    async deleteForgotten(): Promise<void> {
      await deleteInBatches((limit) =>
        kysely
          .deleteFrom('login_failures')
          // A login may have counted since the subquery.
          .where(isForgotten)
          .where('email_digest', 'in', (db) =>
            db.selectFrom('login_failures').select('email_digest').where(isForgotten).limit(limit),
          )
          .executeTakeFirstOrThrow(),
      );
    },
  };
}
