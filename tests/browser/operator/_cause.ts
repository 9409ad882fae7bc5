import type { TestStore } from '../../e2e/_store.ts';
import { queryOnce } from '../../kit/postgres/database.ts';

/** A constraint as if someone had added it by hand: no payment of 15 or more can begin. It refuses nothing else. */
export const constraint = 'small_payments_only';

export const breakPayments = (store: TestStore) =>
  queryOnce(
    store.databaseUrl('payment'),
    `alter table payments add constraint ${constraint} check (status <> 'CHARGING' or amount < 15) not valid`,
  );

export const repairPayments = (store: TestStore) =>
  queryOnce(store.databaseUrl('payment'), `alter table payments drop constraint ${constraint}`);
