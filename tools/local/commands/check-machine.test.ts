import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { useFolder } from '../../../tests/kit/folder.ts';
import { root } from '../../paths.ts';

const script = join(root, 'tools/local/commands/check-machine.sh');
const folder = useFolder();
const tools = await Promise.all(
  ['sh', 'sed', 'head', 'ls', 'awk'].map(async (tool) => [tool, (await execa('which', [tool])).stdout] as const),
);
let machines = 0;

const succeeds = 'exit 0';
/** The script of each program, one line. */
const machine = (system: string, architecture: string, version: string) => ({
  uname: `[ "$1" = -s ] && echo ${system} || echo ${architecture}`,
  getconf: system === 'Linux' && version ? `echo glibc ${version}` : 'exit 1',
  sw_vers: `echo ${version}`,
  node: succeeds,
  npm: succeeds,
  python3: succeeds,
});
const linux = machine('Linux', 'x86_64', '2.31');

/** Runs the check on a machine with these programs and a few that every system has. @returns exit code and output */
async function check(programs: Record<string, string>, args: string[] = []) {
  machines += 1;
  const dir = join(folder, String(machines));
  await mkdir(dir);
  for (const [tool, path] of tools) await symlink(path, join(dir, tool));
  for (const [name, line] of Object.entries(programs)) {
    await writeFile(join(dir, name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
  }
  const options = { cwd: dir, env: { PATH: dir }, extendEnv: false, all: true, reject: false } as const;
  const { exitCode, all } = await execa('/bin/sh', [script, ...args], options);
  return { exitCode, all };
}

it.each([
  ['Linux', 'x86_64', '2.31', 0],
  ['Linux', 'aarch64', '2.41', 0],
  ['Darwin', 'arm64', '15.6.1', 0],
  ['Darwin', 'arm64', '26.0', 0],
  ['Linux', 'x86_64', '2.28', 1],
  ['Linux', 'aarch64', '', 1],
  ['Linux', 'riscv64', '2.41', 1],
  ['Darwin', 'arm64', '14.7', 1],
  ['Darwin', 'x86_64', '15.0', 1],
])('exits on %s %s %s with %i, and says where the store runs', async (system, architecture, version, exitCode) => {
  const where = expect.stringMatching(/^The local run works on Linux .* not on /);
  expect(await check(machine(system, architecture, version))).toEqual({ exitCode, all: exitCode === 0 ? '' : where });
});

it('finds every native package of npm for each supported machine', async () => {
  const { packages } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'));
  const platforms = /-?(linux|darwin|win32|windows|android|freebsd|openbsd|netbsd|sunos|aix|openharmony).*/;
  const native = Object.entries<{ os?: string | string[]; cpu?: string | string[] }>(packages).flatMap(
    ([path, { os = [], cpu = [] }]) => {
      if (!os.length || !cpu.length) return [];
      // Node.js itself has another name for Apple silicon, `node-bin`.
      const family = path.replace('node_modules/node-bin-', 'node_modules/node-').replace(platforms, '');
      return [{ family, platform: `${[os].flat()[0]}-${[cpu].flat()[0]}` }];
    },
  );
  const families = [...Map.groupBy(native, ({ family }) => family)];
  expect(families.length).toBeGreaterThan(5);
  const needed = expect.arrayContaining(['linux-x64', 'linux-arm64', 'darwin-arm64']);
  for (const [family, own] of families) {
    expect([family, own.map(({ platform }) => platform)]).toEqual([family, needed]);
  }
});

const { node, npm } = linux;
it.each([
  ['Python without venv, as on Debian,', { ...linux, python3: '[ "$2" = pip ]' }, []],
  ['Python without pip', { ...linux, python3: '[ "$2" != pip ]' }, []],
  ['only Node.js, to build and render,', { node, npm }, ['node']],
])('accepts %s', async (_, programs, args) => {
  expect(await check(programs, args)).toEqual({ exitCode: 0, all: '' });
});

it('names everything that is missing, and says how to get it', async () => {
  const { uname } = machine('FreeBSD', 'amd64', '');
  const { exitCode, all } = await check({ uname, node: '[ "$1" = -v ] && echo v20.18.0' });
  expect(exitCode).toBe(1);
  expect(all?.split('\n')).toEqual([
    expect.stringMatching(/^Node v20\.18\.0 is too old: install 20\.19 or later/),
    expect.stringMatching(/^npm is missing/),
    expect.stringMatching(/not on FreeBSD amd64: use a virtual machine, a container or WSL 2/),
    expect.stringMatching(/^Python 3 with venv or pip is missing .* apt-get install python3-venv/),
  ]);
});
