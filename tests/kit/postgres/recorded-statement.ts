import type { Database } from '@store/shared/database/database';
import type { Sql } from '@store/shared/database/sql';

/** The statements that `work` sends with `run` or `send`. Each returns no rows. If `work` fails because of that, the error is ignored. */
export async function recordedStatements(work: (database: Database<never>) => Promise<unknown>): Promise<Sql[]> {
  const statements: Sql[] = [];
  const run = async (statement: Sql) => {
    statements.push(statement);
    return [];
  };
  const inTurn = <T>(_: string | undefined, read: () => Promise<T>) => read();
  const send = (statement: Sql) => void statements.push(statement);
  const tx = { run, send, notifyAfterCommit: () => undefined };
  const inTransaction = <T>(begun: (on: typeof tx) => Promise<T>) => begun(tx);
  const database = {
    run,
    inTransaction,
    transactionOf: <T>(_: string, begun: (on: typeof tx) => Promise<T>) => begun(tx),
    notifier: { notify: () => undefined, wakeDirectly: () => undefined },
    lists: { run, runOnce: run, readReplica: async () => undefined, inTurn },
    checks: { run },
  };
  await work(database as never).catch(() => undefined);
  return statements;
}

/** The first statement. */
export async function recordedStatement(work: (database: Database<never>) => Promise<unknown>): Promise<Sql> {
  const [statement] = await recordedStatements(work);
  if (statement === undefined) throw new Error('No statement was sent.');
  return statement;
}
