import { mkdir, mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { useFolder } from '../../../tests/kit/folder.ts';
import { root } from '../../paths.ts';
import { makeWheel } from './_wheel.ts';
import { installWheel } from './pypi.mjs';

const folder = useFolder();
let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(folder, 'test-'));
});

async function addProgram(path: string, script: string): Promise<string> {
  const file = join(dir, path);
  await mkdir(join(file, '..'), { recursive: true });
  await writeFile(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return join(file, '..');
}

it.each([
  ['JAVA_HOME before PATH', '17', '21', 'home'],
  ['a Java on PATH if that of JAVA_HOME is too old', '11', '17', 'path'],
  ['a Java on PATH if JAVA_HOME has Java 8, with its format of versions', '1.8', '25', 'path'],
])('takes %s', async (_, inHome, onPath, expected) => {
  const fakeJava = (home: string, version: string) => {
    const properties = [`java.home = ${join(dir, home)}`, `java.specification.version = ${version}`];
    return addProgram(`${home}/bin/java`, `printf '    %s\\n' '${properties.join("' '")}' >&2`);
  };
  await fakeJava('home', inHome);
  const env = { JAVA_HOME: join(dir, 'home'), PATH: await fakeJava('path', onPath) };
  const program = `
    import { provideJava } from './tools/local/downloads/java.mjs';
    await provideJava().then(console.log, (error) => console.log(error.message));
  `;
  const args = ['--input-type=module', '--eval', program];
  const { stdout } = await execa(process.execPath, args, { cwd: root, env, extendEnv: false });
  expect(stdout).toBe(join(dir, expected));
});

describe('a wheel', () => {
  const { PATH, PIP_NO_INDEX, PIP_FIND_LINKS } = process.env;
  const setEnv = (values: NodeJS.ProcessEnv) => {
    for (const [name, value] of Object.entries(values)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  };
  let sha256: string;

  /** Writes a wheel with a program into the folder that pip searches. */
  beforeEach(async () => {
    sha256 = await makeWheel(dir, 'thing', '1.0', 'thing/run');
    setEnv({ PIP_NO_INDEX: '1', PIP_FIND_LINKS: dir });
  });
  afterEach(() => setEnv({ PATH, PIP_NO_INDEX, PIP_FIND_LINKS }));

  const install = async (digest: string) => {
    await mkdir(join(dir, 'target'));
    const requirements = join(dir, 'requirements.txt');
    await writeFile(requirements, `thing==1.0 --hash=sha256:${'f'.repeat(64)} --hash=sha256:${digest}\n`);
    await installWheel(join(dir, 'target'), requirements);
  };

  it.each([
    ['of the machine', 0],
    ['of a virtual environment, if Python has no pip', 1],
  ])('is unpacked by pip %s so that its program runs, and nothing else is left', async (_, isWithoutPip) => {
    if (isWithoutPip) {
      const { stdout } = await execa('python3', ['-c', 'import sys; print(sys.executable)']);
      const bin = await addProgram('bin/python3', `[ "$2" != pip ] || exit 1\nexec ${stdout} "$@"`);
      setEnv({ PATH: `${bin}:${PATH}` });
    }
    await install(sha256);
    expect((await execa(join(dir, 'target/packages/thing/run'))).stdout).toBe('runs');
    expect(await readdir(join(dir, 'target'))).toEqual(['packages']);
  });

  it('is refused if its digest differs', async () => {
    const other = '0'.repeat(64);
    await expect(install(other)).rejects.toThrow(new RegExp(`Expected sha256 ${other}[\\s\\S]+Got\\s+${sha256}`));
  });
});
