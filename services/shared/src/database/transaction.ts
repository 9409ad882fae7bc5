import type { Kysely, QueryExecutorProvider, Transaction } from 'kysely';
import { repeatOnConflict } from './conflicts.ts';

type AfterCommit = (database: QueryExecutorProvider) => void;
const open = new WeakMap<QueryExecutorProvider, Set<AfterCommit>>();

/**
 * Runs work in a transaction, and after its commit what was asked for by {@link afterCommit}. Work is repeated when PostgreSQL
 * rolls it back because of others, so it changes nothing but the database. The transaction names its isolation level, because
 * that of a session behind a pooler is its role's: each statement has to see what was committed while it waited for a lock.
 */
export async function inTransaction<Tables, Result>(
  database: Kysely<Tables>,
  work: (tx: Transaction<Tables>) => Promise<Result>,
): Promise<Result> {
  const callbacks = new Set<AfterCommit>();
  const transact = () =>
    database
      .transaction()
      .setIsolationLevel('read committed')
      .execute((tx) => {
        callbacks.clear();
        open.set(tx, callbacks);
        return work(tx);
      });
  const result = await repeatOnConflict(transact);
  for (const callback of callbacks) callback(database);
  return result;
}

/** Calls a function once after the commit, however often it was asked for, and not at all without one. */
export function afterCommit(tx: QueryExecutorProvider, callback: AfterCommit): void {
  const callbacks = open.get(tx);
  if (callbacks === undefined) throw new Error('The transaction was not begun by inTransaction');
  callbacks.add(callback);
}
