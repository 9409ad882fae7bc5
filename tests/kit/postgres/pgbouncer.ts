import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from '../../../tools/free-port.ts';
import { findPostgres, startOf } from '../../../tools/local/components/postgres-program.ts';
import { startProcess } from '../../../tools/local/components/supervised-process.ts';
import { findOnPath, outputOf } from '../../../tools/local/downloads/provide-tool.ts';

export const howToGetPgbouncer = 'apt-get install pgbouncer (Debian 13 or later), or set PGBOUNCER to its path';

/** PGBOUNCER, else on PATH, where it knows prepared statements: 1.21 or later. */
export async function findPgbouncer(): Promise<string | undefined> {
  const found = process.env.PGBOUNCER || (await findOnPath('pgbouncer')) || '/usr/sbin/pgbouncer';
  const [, major, minor] =
    /PgBouncer (\d+)\.(\d+)/.exec((await outputOf(found, ['--version']).catch(() => '')) ?? '') ?? [];
  return Number(major) > 1 || Number(minor) >= 21 ? found : undefined;
}

/**
 * PgBouncer with the settings of its section `[pgbouncer]`, before a database.
 * @param dir which everybody may enter
 * @returns with the parameters that make a URL of that database one by PgBouncer
 */
export async function startPgbouncer(command: string, dir: string, databaseUrl: string, settings: object) {
  const port = await freePort();
  const { hostname, port: behind, username, password } = new URL(databaseUrl);
  const users = join(dir, 'users.txt');
  const all = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    auth_type: 'scram-sha-256',
    auth_file: users,
    ...settings,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`);
  const file = join(dir, 'pgbouncer.ini');
  await writeFile(users, `"${username}" "${password}"\n`);
  await writeFile(file, ['[databases]', `* = host=${hostname} port=${behind}`, '[pgbouncer]', ...lines, ''].join('\n'));
  const parameters = `host=127.0.0.1&port=${port}`;
  const pgbouncer = await startProcess({
    name: 'pgbouncer',
    // Like PostgreSQL it refuses to run as root.
    ...startOf(await findPostgres(), command, [file]),
    logDir: dir,
    log: () => undefined,
    ready: async () => {
      const client = new pg.Client({ connectionString: `${databaseUrl}?${parameters}` });
      await client.connect();
      await client.end();
      return true;
    },
  });
  return { ...pgbouncer, parameters };
}
