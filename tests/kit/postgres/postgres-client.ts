import { delimiter, join } from 'node:path';
import { execa } from 'execa';
import { outputOf } from '../../../tools/local/downloads/provide-tool.mjs';
import { root } from '../../../tools/paths.ts';

export const howToGetClient =
  'apt-get install postgresql-client-18 (from apt.postgresql.org where the system is older), or set POSTGRES_CLIENT to a folder with pg_dump, pg_restore and psql';

/** The folder of PostgreSQL's client programs, from POSTGRES_CLIENT or PATH, if they can dump a server of version 18. */
export async function findClient(): Promise<string | undefined> {
  const folders = [
    process.env.POSTGRES_CLIENT,
    '/usr/lib/postgresql/18/bin',
    ...(process.env.PATH ?? '').split(delimiter),
  ];
  for (const folder of folders) {
    const version = folder && (await outputOf(join(folder, 'pg_dump'), ['--version']).catch(() => ''));
    if (Number(/\) (\d+)/.exec(version || '')?.[1]) >= 18) return folder;
  }
  return undefined;
}

export const scripts = join(root, 'charts/store/charts/postgres/files');

/** Runs a script of the chart as its container does. */
export function runScript(client: string, script: string, serverUrl: string, env: Record<string, string>) {
  const { hostname, port, username, password } = new URL(serverUrl);
  return execa('bash', [join(scripts, script)], {
    env: {
      PATH: `${client}${delimiter}${process.env.PATH}`,
      PGHOST: hostname,
      PGPORT: port,
      PGUSER: username,
      PGPASSWORD: password,
      ...env,
    },
    extendEnv: false,
    all: true,
    reject: false,
  });
}
