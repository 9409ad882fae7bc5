import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { root } from '../../paths.ts';
import { installWheel } from './pypi.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'store-java-'));
});
afterEach(() => rm(dir, { recursive: true }));

async function fakeJava(home: string, version: string): Promise<void> {
  await mkdir(join(dir, home, 'bin'), { recursive: true });
  const java = join(dir, home, 'bin/java');
  const lines = [
    'Property settings:',
    `    java.home = ${join(dir, home)}`,
    `    java.specification.version = ${version}`,
  ];
  await writeFile(java, `#!/bin/sh\n${lines.map((line) => `echo '${line}' >&2`).join('\n')}\n`);
  await chmod(java, 0o755);
}

/** Returns the result of provideJava with this environment alone. */
async function provided(env: Record<string, string>) {
  const program = `
    import { provideJava } from './tools/local/downloads/java.ts';
    await provideJava().then(console.log, (error) => console.log(error.message));
  `;
  const args = ['--input-type=module', '--eval', program];
  return (await execa(process.execPath, args, { cwd: root, env, extendEnv: false })).stdout;
}

it.each([
  ['JAVA_HOME before PATH', '17', '21', 'home'],
  ['a Java on PATH where that of JAVA_HOME is too old', '11', '17', 'path'],
  ['versions as Java 8 writes them', '1.8', '25', 'path'],
])('takes %s', async (_, inHome, onPath, expected) => {
  await fakeJava('home', inHome);
  await fakeJava('path', onPath);
  const env = { JAVA_HOME: join(dir, 'home'), PATH: join(dir, 'path/bin') };
  expect(await provided(env)).toBe(join(dir, expected));
});

describe('a wheel', () => {
  /** Makes a wheel with a program in the folder that pip looks in. @returns its digest */
  async function offer(): Promise<string> {
    const program = `
import hashlib, sys, zipfile
with zipfile.ZipFile(sys.argv[1], 'w') as wheel:
    info = zipfile.ZipInfo('thing/run'); info.external_attr = 0o100755 << 16
    wheel.writestr(info, '#!/bin/sh\\necho runs\\n')
    for name, text in {
        'METADATA': 'Metadata-Version: 2.1\\nName: thing\\nVersion: 1.0\\nRequires-Python: >=4\\n',
        'WHEEL': 'Wheel-Version: 1.0\\nRoot-Is-Purelib: false\\nTag: py3-none-any\\n',
        'RECORD': '',
    }.items():
        wheel.writestr('thing-1.0.dist-info/' + name, text)
print(hashlib.sha256(open(sys.argv[1], 'rb').read()).hexdigest())
`;
    return (await execa('python3', ['-c', program, join(dir, 'thing-1.0-py3-none-any.whl')])).stdout;
  }

  const { PIP_NO_INDEX, PIP_FIND_LINKS } = process.env;
  beforeEach(() => {
    process.env.PIP_NO_INDEX = '1';
    process.env.PIP_FIND_LINKS = dir;
  });
  afterAll(() => {
    for (const [name, value] of Object.entries({ PIP_NO_INDEX, PIP_FIND_LINKS })) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });

  const target = () => join(dir, 'target');
  const install = async (sha256: string) => {
    await mkdir(target());
    await installWheel(target(), { name: 'thing', version: '1.0', sha256: ['f'.repeat(64), sha256] });
  };

  it('is unpacked so that its program runs, and nothing else is left', async () => {
    await install(await offer());
    expect((await execa(join(target(), 'packages/thing/run'))).stdout).toBe('runs');
    expect((await execa('ls', [target()])).stdout).toBe('packages');
  });

  it('with another digest is refused', async () => {
    const sha256 = await offer();
    const other = sha256.replace(/./g, '0');
    await expect(install(other)).rejects.toThrow(new RegExp(`Expected sha256 ${other}[\\s\\S]+Got\\s+${sha256}`));
  });

  it('is installed by the pip of the machine where Python has no venv', async () => {
    const sha256 = await offer();
    const python = (await execa('python3', ['-c', 'import sys; print(sys.executable)'])).stdout;
    await mkdir(join(dir, 'bin'));
    const script = `#!/bin/sh\n[ "$2" != venv ] || exit 1\nexec ${python} "$@"\n`;
    await writeFile(join(dir, 'bin/python3'), script, { mode: 0o755 });
    const { PATH } = process.env;
    process.env.PATH = `${join(dir, 'bin')}:${PATH}`;
    try {
      await install(sha256);
    } finally {
      process.env.PATH = PATH;
    }
    expect((await execa(join(target(), 'packages/thing/run'))).stdout).toBe('runs');
  });
});
