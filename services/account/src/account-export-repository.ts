import { type Statements, sql } from '@store/shared/database/sql';
import { DomainError } from '@store/shared/values/errors';

export type AccountExportRepository = ReturnType<typeof createAccountExportRepository>;

/** Exports of an account in a day. Each reads all data that the store has about the account. */
const maxPerDay = 5;
/** Longer than an answer in pieces takes (http/app.ts), so an older entry is left from a process that died. */
const maxSeconds = 330;
/** Most exports take less time. */
const retryRunningSeconds = 10;

export const tooManyExports = (detail: string, retryAfterSeconds: number) =>
  new DomainError('rateLimited', detail, { code: 'too-many-exports', retryAfterSeconds });

export const alreadyRunning = () =>
  tooManyExports('An export of this account is already running. Try again later.', retryRunningSeconds);

export function createAccountExportRepository({ run }: Statements) {
  const recent = sql`unnest(account_exports.began_at) as at where at > now() - interval '1 day'`;
  const count = sql`(select count(*)::int from ${recent})`;

  return {
    /**
     * Records that an export begins. Across all replicas, an account has one export at a time and 5 a day.
     * @throws DomainError rateLimited
     */
    async begin(accountId: string): Promise<void> {
      const begun = await run(sql`
        insert into account_exports (account_id, began_at, ends_by)
        select id, array[now()], now() + ${maxSeconds}::int * interval '1 s' from accounts where id = ${accountId}::uuid
        on conflict (account_id) do update
          set began_at = array(select at from ${recent} order by at) || now(), ends_by = excluded.ends_by
          where coalesce(account_exports.ends_by <= now(), true) and ${count} < ${maxPerDay}::int
        returning account_id`);
      if (begun.length > 0) return;
      const [found] = await run<{ count: number; seconds: number }>(sql`
        select ${count} as count,
          ceil(extract(epoch from (select min(at) from ${recent}) + interval '1 day' - now()))::int as seconds
        from account_exports where account_id = ${accountId}`);
      // There is no row if the account has just been deleted.
      if (found === undefined || found.count < maxPerDay) throw alreadyRunning();
      throw tooManyExports(`An account can be exported ${maxPerDay} times a day.`, Math.max(found.seconds, 1));
    },

    /** @param counts whether the export counts toward the daily limit; a failed one does not */
    async end(accountId: string, counts: boolean): Promise<void> {
      await run(sql`
        update account_exports
        set ends_by = null, began_at = case when ${counts} then began_at else began_at[:cardinality(began_at) - 1] end
        where account_id = ${accountId}`);
    },
  };
}
