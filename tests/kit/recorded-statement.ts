import {
  type CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely';

/** The first statement that `work` would send. It gets an answer without rows, which may make it fail: that is ignored. */
export async function recordedStatement<Tables>(
  work: (kysely: Kysely<Tables>) => Promise<unknown>,
): Promise<Pick<CompiledQuery, 'sql' | 'parameters'>> {
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
  await work(kysely).catch(() => undefined);
  const [statement] = statements;
  if (statement === undefined) throw new Error('No statement was sent.');
  return statement;
}
