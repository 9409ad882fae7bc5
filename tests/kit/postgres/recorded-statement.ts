import type { Database } from '@store/shared/database/database';
import {
  type CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely';

type Statement = Pick<CompiledQuery, 'sql' | 'parameters'>;
type Work<Tables> = (kysely: Kysely<Tables>, database: Database<Tables>) => Promise<unknown>;

/** The statements that `work` would send. Each gets an answer without rows, which may make it fail: that is ignored. */
export async function recordedStatements<Tables>(work: Work<Tables>): Promise<Statement[]> {
  const statements: CompiledQuery[] = [];
  const kysely = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    log: ({ query }) => void statements.push(query),
  });
  const run = async (statement: CompiledQuery) => {
    statements.push(statement);
    return [];
  };
  const inTurn = <T>(_: string | undefined, read: () => Promise<T>) => read();
  const lists = { kysely, run, runOnce: run, readReplica: async () => undefined, inTurn };
  await work(kysely, { kysely, run, lists } as never).catch(() => undefined);
  return statements;
}

/** The first of them. */
export async function recordedStatement<Tables>(work: Work<Tables>): Promise<Statement> {
  const [statement] = await recordedStatements(work);
  if (statement === undefined) throw new Error('No statement was sent.');
  return statement;
}
