import { chown, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { execa } from 'execa';
import { withFolder } from '../../with-folder.ts';
import { type PostgresProgram, startOf } from './postgres-program.ts';

/** Creates the data directory if it does not exist, and makes sure that the server can start in it. */
export async function prepareDataDir(dataDir: string, program: PostgresProgram, password: string): Promise<void> {
  const version = (await readIfThere(join(dataDir, 'PG_VERSION')))?.trim();
  if (version === undefined) await initialise(dataDir, program, password);
  else if (version !== '18')
    throw new Error(`${dataDir} was created by PostgreSQL ${version}, this is 18: make clean deletes the old data.`);
  await removeStalePid(dataDir);
}

export const superuser = 'postgres';

/** In the C locale pg_trgm treats only ASCII as letters. macOS has no C.UTF-8. */
const characters = process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8';
const sorting = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
const locale = ['--encoding=UTF8', ...sorting, `--lc-ctype=${characters}`];

async function initialise(dataDir: string, program: PostgresProgram, password: string): Promise<void> {
  const { owner } = program;
  const unfinished = `${dataDir}.unfinished`; // renamed when complete, because an interrupted start leaves a broken directory
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { recursive: true, mode: 0o700 });
  await withFolder(async (temporary) => {
    const passwordFile = join(temporary, 'password');
    await writeFile(passwordFile, password, { mode: 0o600 });
    if (owner) for (const path of [unfinished, temporary, passwordFile]) await chown(path, owner.uid, owner.gid);
    const login = [`--username=${superuser}`, `--pwfile=${passwordFile}`, '--auth=scram-sha-256'];
    const given = [`--pgdata=${unfinished}`, '--no-sync', ...login, ...locale];
    const { command, args } = startOf(program, program.initdb, given);
    await execa(command, args, { cwd: '/' });
    await rename(unfinished, dataDir);
  });
}

/** After a crash of the machine the recorded pid may belong to another process, and the server would refuse to start. */
async function removeStalePid(dataDir: string): Promise<void> {
  const file = join(dataDir, 'postmaster.pid');
  const [pid] = (await readIfThere(file))?.split('\n') ?? [];
  if (!pid) return;
  const { exitCode, stdout = '' } = await execa('ps', ['-o', 'comm=', '-p', pid], { reject: false });
  // Without ps the file stays. PostgreSQL then takes a process of any name for a server.
  if (exitCode !== undefined && basename(stdout.trim()) !== 'postgres') await rm(file);
}

export async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
