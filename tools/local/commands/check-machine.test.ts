import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { root } from '../../paths.ts';

const script = join(root, 'tools/local/commands/check-machine.sh');
let dir: string;

const ran = (line: string) => `#!/bin/sh\n${line}\n`;
const nothingElse: Record<string, string> = {
  uname: ran('[ "$1" = -s ] && echo Linux || echo x86_64'),
  node: ran('exit 0'),
  npm: ran('exit 0'),
  python3: ran('exit 0'),
};

/** Returns its output on a machine that has these programs beside a few of every system. */
async function check(programs: Record<string, string>, args: string[] = []) {
  for (const tool of ['sh', 'sed', 'head', 'ls']) {
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

it.each(['Linux x86_64', 'Linux aarch64', 'Darwin arm64'])(
  'asks on %s for Node.js and Python alone',
  async (machine) => {
    const [system, architecture] = machine.split(' ');
    const uname = ran(`[ "$1" = -s ] && echo ${system} || echo ${architecture}`);
    expect(await check({ ...nothingElse, uname })).toEqual({ exitCode: 0, all: '' });
  },
);

it('Python may come without venv, as Debian has it, or without pip', async () => {
  const python3 = ran('[ "$2" = pip ]');
  expect(await check({ ...nothingElse, python3 })).toEqual({ exitCode: 0, all: '' });
});

it('names everything that is missing, with the way to get it', async () => {
  const uname = ran('[ "$1" = -s ] && echo FreeBSD || echo amd64');
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

it.each([
  ['17', 0],
  ['11', 1],
])('Python is not needed where Java is %s and the other tools are there', async (version, exitCode) => {
  const { python3: _, ...others } = nothingElse;
  const java = ran(`echo 'openjdk version "${version}.0.1"' >&2`);
  const tools = { java, envoy: ran('exit 0'), mvn: ran('exit 0') };
  expect((await check({ ...others, ...tools })).exitCode).toBe(exitCode);
});

it('what only builds and renders needs Node.js alone', async () => {
  const { node = '', npm = '' } = nothingElse;
  expect(await check({ node, npm }, ['node'])).toEqual({ exitCode: 0, all: '' });
});
