import type { Kysely, QueryExecutorProvider, Transaction } from 'kysely';

type AfterCommit = (database: QueryExecutorProvider) => void;
const open = new WeakMap<QueryExecutorProvider, Set<AfterCommit>>();

/** Runs work in a transaction, and after its commit what was asked for by {@link afterCommit}. */
export async function inTransaction<Tables, Result>(
  database: Kysely<Tables>,
  work: (tx: Transaction<Tables>) => Promise<Result>,
): Promise<Result> {
  const callbacks = new Set<AfterCommit>();
  const result = await database.transaction().execute((tx) => {
    open.set(tx, callbacks);
    return work(tx);
  });
  for (const callback of callbacks) callback(database);
  return result;
}

/** Calls a function once after the commit, however often it was asked for, and not at all without one. */
export function afterCommit(tx: QueryExecutorProvider, callback: AfterCommit): void {
  const callbacks = open.get(tx);
  if (callbacks === undefined) throw new Error('The transaction was not begun by inTransaction');
  callbacks.add(callback);
}
