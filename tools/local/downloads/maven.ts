import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { execa } from 'execa';
import { findOnPath, outputOf, provide } from './provide-tool.ts';

const version = '3.9.11';
const sha512 =
  'bcfe4fe305c962ace56ac7b5fc7a08b87d5abd8b7e89027ab251069faebee516b0ded8961445d6d91ec1985dfe30f8153268843c89aa392733d1a3ec956c9978';

/** jgo, a package of PyPI, downloads from Maven Central, so Python alone is enough to get Maven. */
const program = `
import pathlib, sys
from jgo.maven import MavenContext
context = MavenContext(repo_cache=pathlib.Path(sys.argv[1], 'repository'))
maven = context.project('org.apache.maven', 'apache-maven').at_version('${version}')
print(maven.artifact('bin', 'tar.gz').resolve())
`;

/** The path of Maven: MVN, else on PATH, else downloaded once from Maven Central. */
export const provideMaven = () =>
  provide({
    name: `maven-${version}`,
    variable: 'MVN',
    onPath: async () => ((await outputOf('mvn', ['--version'])) ? findOnPath('mvn') : undefined),
    download: {
      file: 'bin/mvn',
      announcement: `downloading Maven ${version} from Maven Central (9 MB)`,
      into: async (dir) => {
        if (!(await findOnPath('python3'))) throw new Error('python3 is not on PATH: install Python 3 or Maven');
        const environment = join(dir, 'venv');
        await execa('python3', ['-m', 'venv', environment]);
        const pip = ['install', '--quiet', '--disable-pip-version-check', 'jgo==3.2.0'];
        await execa(join(environment, 'bin/pip'), pip);
        const { stdout: file } = await execa(join(environment, 'bin/python'), ['-c', program, dir]);
        const sum = createHash('sha512')
          .update(await readFile(file))
          .digest('hex');
        if (sum !== sha512) throw new Error(`${basename(file)} has the wrong checksum (SHA-512 ${sum})`);
        await execa('tar', ['-xzf', file, '-C', dir, '--strip-components=1']);
        for (const temporary of ['venv', 'repository']) await rm(join(dir, temporary), { recursive: true });
      },
    },
  });
