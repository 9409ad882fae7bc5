import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { root } from '../../paths.ts';

const script = join(root, 'tools/local/commands/check-machine.sh');
let dir: string;

const ran = (line: string) => `#!/bin/sh\n${line}\n`;
const nothingElse: Record<string, string> = {
  uname: ran('[ "$1" = -s ] && echo Linux || echo x86_64'),
  getconf: ran('echo glibc 2.31'),
  node: ran('exit 0'),
  npm: ran('exit 0'),
  python3: ran('exit 0'),
};

/** Returns its output on a machine that has these programs beside a few of every system. */
async function check(programs: Record<string, string>, args: string[] = []) {
  for (const tool of ['sh', 'sed', 'head', 'ls', 'awk']) {
    await symlink((await execa('which', [tool])).stdout, join(dir, tool));
  }
  for (const [name, text] of Object.entries(programs)) await writeFile(join(dir, name), text, { mode: 0o755 });
  const options = { cwd: dir, env: { PATH: dir }, extendEnv: false, all: true, reject: false } as const;
  const { exitCode, all } = await execa('/bin/sh', [script, ...args], options);
  return { exitCode, all };
}

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'store-machine-'));
});
afterEach(() => rm(dir, { recursive: true }));

const machine = (system: string, architecture: string, version: string) => ({
  ...nothingElse,
  uname: ran(`[ "$1" = -s ] && echo ${system} || echo ${architecture}`),
  getconf: ran(system === 'Linux' && version ? `echo glibc ${version}` : 'exit 1'),
  sw_vers: ran(`echo ${version}`),
});

it.each([
  ['Linux', 'x86_64', '2.31'],
  ['Linux', 'aarch64', '2.41'],
  ['Darwin', 'arm64', '15.6.1'],
  ['Darwin', 'arm64', '26.0'],
])('asks on %s %s %s for Node.js and Python alone', async (...given) => {
  expect(await check(machine(...given))).toEqual({ exitCode: 0, all: '' });
});

it.each([
  ['Linux', 'x86_64', '2.28'],
  ['Linux', 'aarch64', ''],
  ['Linux', 'riscv64', '2.41'],
  ['Darwin', 'arm64', '14.7'],
  ['Darwin', 'x86_64', '15.0'],
])('tells %s %s %s where the store runs', async (...given) => {
  const { exitCode, all } = await check(machine(...given));
  expect({ exitCode, all }).toEqual({
    exitCode: 1,
    all: expect.stringMatching(/^The local run works on Linux .* not on /),
  });
});

it('npm has every native package for each of the machines', async () => {
  const { packages } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'));
  const native = new Map<string, Set<string>>();
  for (const [path, { os = [], cpu = [] }] of Object.entries<{ os?: string | string[]; cpu?: string | string[] }>(
    packages,
  )) {
    if (!os.length || !cpu.length) continue;
    // Node.js itself is published for Apple silicon under another name, `node-bin`.
    const family = path.replace(
      /(?:(?<=node_modules\/node)-bin)?-?(linux|darwin|win32|windows|android|freebsd|openbsd|netbsd|sunos|aix|openharmony).*/,
      '',
    );
    native.set(family, (native.get(family) ?? new Set()).add(`${[os].flat()[0]}-${[cpu].flat()[0]}`));
  }
  expect(native.size).toBeGreaterThan(5);
  const platforms = expect.arrayContaining(['linux-x64', 'linux-arm64', 'darwin-arm64']);
  for (const [family, found] of native) expect({ family, found: [...found] }).toEqual({ family, found: platforms });
});

it('Python may come without venv, as Debian has it, or without pip', async () => {
  const python3 = ran('[ "$2" = pip ]');
  expect(await check({ ...nothingElse, python3 })).toEqual({ exitCode: 0, all: '' });
});

it('names everything that is missing, with the way to get it', async () => {
  const { uname = '' } = machine('FreeBSD', 'amd64', '');
  const node = ran('[ "$1" = -v ] && echo v20.18.0');
  const { exitCode, all } = await check({ uname, node });
  expect(exitCode).toBe(1);
  expect(all?.split('\n')).toEqual([
    expect.stringMatching(/^Node v20\.18\.0 is too old: install 20\.19 or later/),
    expect.stringMatching(/^npm is missing/),
    expect.stringMatching(/not on FreeBSD amd64: use a virtual machine, a container or WSL 2/),
    expect.stringMatching(/^Python 3 with venv or pip is missing .* apt-get install python3-venv/),
  ]);
});

it('Python is not needed where Envoy and Maven are there', async () => {
  const { python3: _, ...others } = nothingElse;
  const tools = { envoy: ran('exit 0'), mvn: ran('exit 0') };
  expect((await check({ ...others, ...tools })).exitCode).toBe(0);
});

it('what only builds and renders needs Node.js alone', async () => {
  const { node = '', npm = '' } = nothingElse;
  expect(await check({ node, npm }, ['node'])).toEqual({ exitCode: 0, all: '' });
});
