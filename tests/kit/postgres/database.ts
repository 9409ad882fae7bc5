import { randomBytes } from 'node:crypto';
import { migrate } from '@store/shared/database/migrate';
import pg from 'pg';
import { recordStatements } from '../statements/record.ts';

if (process.env.TEST_STATEMENTS) recordStatements(process.env.TEST_STATEMENTS);

export interface TestDatabase {
  url: string;
  drop(): Promise<void>;
}

/**
 * Creates a database with the migrations of a service.
 * @param base a superuser's URL; default: that of the PostgreSQL that the Jest set-up started
 */
export async function createTestDatabase(service: string, base = process.env.TEST_DATABASE_URL): Promise<TestDatabase> {
  if (base === undefined) throw new Error('TEST_DATABASE_URL is not set: run the tests with npm test');
  const name = `${service}_${randomBytes(6).toString('hex')}`;
  const url = new URL(base);
  url.pathname = `/${name}`;
  await queryOnce(base, `create database ${name}`);
  await migrate(url.href, new URL(`../../../services/${service}/prisma/migrations/`, import.meta.url));
  return {
    url: url.href,
    async drop() {
      await queryOnce(base, `drop database ${name} with (force)`);
    },
  };
}

interface Closable {
  close(): unknown;
}

type Tests = 'all' | 'each';
const hooksOf = (tests: Tests) =>
  tests === 'all' ? ([beforeAll, afterAll] as const) : ([beforeEach, afterEach] as const);

/**
 * Creates a database for all tests of a file or a `describe`, or one for each test.
 * @param baseUrl see {@link createTestDatabase}
 */
export function useDatabase(service: string, tests: Tests = 'all', baseUrl?: () => string) {
  const [before, after] = hooksOf(tests);
  let current: TestDatabase | undefined;
  const opened: Closable[] = [];
  const openedInTest: Closable[] = [];
  afterEach(async () => {
    for (const one of openedInTest.splice(0).reverse()) await one.close();
  });
  before(async () => {
    current = await createTestDatabase(service, baseUrl?.());
  });
  after(async () => {
    for (const one of opened) await one.close?.();
    await current?.drop();
  });
  const database = {
    get url(): string {
      if (current === undefined) throw new Error('There is no database before the first hook.');
      return current.url;
    },

    /**
     * Opens a service on the database, and closes it after the tests.
     * @returns an object that has the properties of the service from the first test on
     */
    open<Opened extends Closable>(open: (url: string) => Opened | Promise<Opened>, forTests = tests): Opened {
      const later = {} as Opened;
      const [before, after] = hooksOf(forTests);
      before(async () => {
        Object.assign(later, await open(database.url));
      });
      if (forTests === tests) opened.push(later);
      else after(() => later.close?.());
      return later;
    },

    /** Closes after a test what the test opens. */
    closeLater<Opened extends Closable>(one: Opened): Opened {
      openedInTest.push(one);
      return one;
    },
  };
  return database;
}

/** No server listens there. */
export const unreachableDatabaseUrl = 'postgresql://nobody:nothing@127.0.0.1:1/unreachable';

/** Runs one statement on a connection of its own and returns its rows. */
export async function queryOnce<Row extends object>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  // Of a server that is killed; the statement fails, too.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}
