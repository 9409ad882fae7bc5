import { type Statements, sql } from '@store/shared/database/sql';

/** Small enough for a statement to end long before its time-out. */
const batchSize = 5_000;

export interface Balance {
  account: string;
  currency: string;
  /** In minor units: debits less credits. */
  amount: string;
}

/** Reads the sum of the lines of each account and currency, exact in the snapshot of its statement. */
export const readBalances = ({ run }: Statements): Promise<Balance[]> =>
  run<Balance>(sql`
    select account, currency, sum(amount)::text as amount from (
      select account, currency, amount from balances
      union all
      select account, currency, amount from balance_changes
    ) as change
    group by account, currency order by account, currency`);

/**
 * Adds up a batch of changes, so that the balances are read from few rows. Several processes may do this at once.
 * @returns whether there may be more changes
 */
export async function addUpBalances({ run }: Statements): Promise<boolean> {
  const rows = await run<{ count: number }>(sql`
    with taken as (
      delete from balance_changes
      where ctid = any(array(select ctid from balance_changes limit ${batchSize} for update skip locked))
      returning account, currency, amount
    ),
    added as (
      insert into balances (account, currency, amount)
      select account, currency, sum(amount) from taken group by account, currency order by account, currency
      on conflict (account, currency) do update set amount = balances.amount + excluded.amount
    )
    select count(*)::int as count from taken`);
  return rows[0]?.count === batchSize;
}
