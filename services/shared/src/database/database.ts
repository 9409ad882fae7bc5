import { PrismaPg } from '@prisma/adapter-pg';
import { type CompiledQuery, Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { createStatementNames, type Placeholders, placeholders, valuesFor } from './prepared-statements.ts';

export type Database<Tables> = ReturnType<typeof openDatabase<Tables>>;

/**
 * The connections of a process, shared by Kysely and Prisma. numeric and bigint arrive as text.
 * @param url postgresql://role:password@host:port/database
 * @typeParam Tables generated from schema.prisma: src/generated/tables.ts of the service
 */
export function openDatabase<Tables>(url: string, poolSize?: number) {
  const pool = new pg.Pool(poolConfig(url, poolSize));
  pool.on('error', ignore);
  pool.on('connect', (client) => client.on('error', ignore));
  const nameOf = createStatementNames();

  const clients = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  /** Kysely keeps what it knows of a connection by its client, so each has one wrapper. */
  function preparing(client: pg.PoolClient): PostgresPoolClient {
    const known = clients.get(client);
    if (known !== undefined) return known;
    const wrapper = {
      query: (text: string, values: unknown[]) => client.query({ text, values, name: nameOf({ sql: text }) }),
      release: (destroy?: boolean) => client.release(destroy),
    } as unknown as PostgresPoolClient;
    clients.set(client, wrapper);
    return wrapper;
  }

  /**
   * Runs a compiled statement outside transactions: for the hottest paths. Kysely's own execution awaits a dozen promises,
   * a tenth of the CPU of a request (decisions/0007).
   */
  async function run<Row>({ sql, parameters }: CompiledQuery<Row>): Promise<Row[]> {
    const { rows } = await pool.query({ text: sql, values: [...parameters], name: nameOf({ sql }) });
    return rows;
  }

  return {
    /** Statements typed by the service's tables. */
    kysely: new Kysely<Tables>({
      dialect: new PostgresDialect({
        pool: { connect: async () => preparing(await pool.connect()), end: () => pool.end(), options: {} },
      }),
    }),
    run,
    /**
     * Compiles a statement once, to be run with other values each time: for the hottest paths, where building and
     * compiling would take a twentieth of the CPU of a request.
     */
    prepare<Values extends object, Row>(build: (values: Placeholders<Values>) => CompiledQuery<Row>) {
      const compiled = build(placeholders<Values>());
      return (values: Values) => run<Row>({ ...compiled, parameters: valuesFor(compiled.parameters, values) });
    },
    /** `new PrismaClient({ adapter })` uses the same connections. */
    adapter: new PrismaPg(pool, { onConnectionError: ignore, statementNameGenerator: nameOf }),
    close: () => pool.end(),
  };
}

/** Nothing waits forever: 2 s for a connection, 10 s for a statement. */
const poolConfig = (url: string, poolSize = 10): pg.PoolConfig => ({
  connectionString: url,
  max: poolSize,
  connectionTimeoutMillis: 2_000,
  statement_timeout: 10_000,
  query_timeout: 12_000,
  idle_in_transaction_session_timeout: 20_000,
  keepAlive: true,
});

/** The pool replaces an idle connection that breaks; a query on a broken one reports the error itself. */
const ignore = () => undefined;
