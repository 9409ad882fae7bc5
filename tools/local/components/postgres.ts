import { randomBytes } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { prepareDataDir, readIfThere, superuser } from './postgres-data-dir.ts';
import { findPostgres, startOf } from './postgres-program.ts';
import { type SupervisedProcess, type Supervision, startProcess } from './supervised-process.ts';

export interface Postgres extends SupervisedProcess {
  superuserUrl: string;
  /** URL of a database that createDatabase created, with its own role and password; by default at PostgreSQL's port. */
  url(database: string, port?: number): string;
  /** Creates the role and the database of that name if they are missing. */
  createDatabase(name: string): Promise<void>;
}

interface PostgresOptions extends Partial<Supervision> {
  dataDir: string;
  port: number;
  /** Further settings of postgresql.conf, for example { fsync: 'off' } for data that need not survive. */
  settings?: Record<string, string>;
}

const localSettings = {
  // Different from the services' zone, to show that they do not depend on the server's.
  timezone: 'America/Los_Angeles',
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '256MB',
  max_wal_size: '2GB',
  log_line_prefix: '%m [%p] %q%u@%d ',
};

/** Starts PostgreSQL, only on 127.0.0.1. Started by root, it runs as the user postgres. */
export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  const { dataDir, port, settings, ...supervision } = options;
  await mkdir(dirname(dataDir), { recursive: true });
  const program = await findPostgres();
  const passwords = await openPasswords(dataDir);
  const superuserPassword = passwords.of(superuser);
  await prepareDataDir(dataDir, program, superuserPassword);

  const urlOf = (role: string, password: string, database: string, at = port) =>
    `postgresql://${role}:${password}@127.0.0.1:${at}/${database}`;
  const superuserUrl = urlOf(superuser, superuserPassword, 'postgres');
  const all = Object.entries({ ...localSettings, port: String(port), ...settings });
  const asArguments = all.flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const component = await startProcess({
    logDir: join(dirname(dataDir), 'log'),
    ...supervision,
    name: 'postgres',
    ...startOf(program, program.postgres, ['-D', dataDir, ...asArguments]),
    ready: () => asSuperuser(superuserUrl, async () => true),
    stopSignal: 'SIGINT', // the fast shutdown: connections are closed, everything is written
    orphanSignal: 'SIGQUIT', // ends all its processes at once; the write-ahead log keeps the data
    stopSeconds: 30,
  });

  async function createDatabase(name: string): Promise<void> {
    const password = passwords.of(name);
    await asSuperuser(superuserUrl, async (client) => {
      const role = client.escapeIdentifier(name);
      const secret = client.escapeLiteral(password);
      const { rowCount: hasRole } = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [name]);
      await client.query(`${hasRole ? 'ALTER' : 'CREATE'} ROLE ${role} LOGIN PASSWORD ${secret}`);
      const { rowCount: hasDatabase } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
      if (hasDatabase) return;
      // template0 allows no connections, so several databases can be copied from it concurrently.
      await client.query(`CREATE DATABASE ${role} OWNER ${role} TEMPLATE template0`);
      await client.query(`REVOKE CONNECT ON DATABASE ${role} FROM PUBLIC`);
    });
  }

  return {
    ...component,
    superuserUrl,
    createDatabase,
    url: (database, at) => urlOf(database, passwords.known(database), database, at),
  };
}

/** The passwords of a data directory, one per role, in a file beside it that only its owner can read. */
export async function openPasswords(dataDir: string) {
  const file = `${dataDir}-passwords.json`;
  const passwords: Record<string, string> = JSON.parse((await readIfThere(file)) ?? '{}');

  function known(role: string): string {
    const password = passwords[role];
    if (!password) throw new Error(`The database ${role} does not exist yet.`);
    return password;
  }

  /** Returns the password of a role, which is created on first use. */
  function of(role: string): string {
    passwords[role] ??= randomBytes(24).toString('hex');
    writeFileSync(`${file}.new`, JSON.stringify(passwords, undefined, 2), { mode: 0o600 });
    renameSync(`${file}.new`, file); // never a partial file
    return passwords[role];
  }

  return { of, known };
}

async function asSuperuser<T>(connectionString: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 10_000 }); // a busy machine takes seconds
  client.on('error', () => undefined); // when the server ends, the query is also rejected
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}
