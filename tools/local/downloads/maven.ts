import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { execa } from 'execa';
import { withFolder } from '../../with-folder.ts';
import { provideJava } from './java.ts';
import { findOnPath, outputOf, provide } from './provide-tool.ts';
import { packages, withPip } from './pypi.ts';

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

/**
 * Runs a goal of Maven's dependency plugin by MVN, else mvn on PATH, else a Maven that is downloaded once from Maven Central.
 * @param dir where what it is for is written
 */
export async function runMaven(goal: 'copy-dependencies' | 'unpack', dir: string, ...options: string[]): Promise<void> {
  const env = { JAVA_HOME: await provideJava() };
  const plugin = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1';
  const maven = await provideMaven(env);
  // unpack notes below the second folder what it has unpacked.
  const args = (notes: string) => [`-DoutputDirectory=${dir}`, `-Dproject.basedir=${notes}`, ...options];
  await withFolder((notes) => execa(maven, ['-B', `${plugin}:${goal}`, ...args(notes)], { env }));
}

const provideMaven = (env: { JAVA_HOME: string }) =>
  provide({
    name: `maven-${version}`,
    variable: 'MVN',
    onPath: async () => ((await outputOf('mvn', ['--version'], env)) ? findOnPath('mvn') : undefined),
    download: {
      file: 'bin/mvn',
      announcement: `downloading Maven ${version} from Maven Central (9 MB)`,
      into: async (dir) => {
        const file = await withPip(dir, async (install, python) => {
          await install(['jgo==2.0.1']); // the last one for Python 3.9, which macOS has
          const PYTHONPATH = join(dir, packages);
          return (await execa(python, ['-c', program, dir], { env: { PYTHONPATH } })).stdout;
        });
        const sum = createHash('sha512')
          .update(await readFile(file))
          .digest('hex');
        if (sum !== sha512) throw new Error(`${basename(file)} has the wrong checksum (SHA-512 ${sum})`);
        await execa('tar', ['-xzf', file, '-C', dir, '--strip-components=1']);
        for (const temporary of [packages, 'repository']) await rm(join(dir, temporary), { recursive: true });
      },
    },
  });
