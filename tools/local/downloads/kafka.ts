import { join } from 'node:path';
import { root } from '../../paths.ts';
import { provideJava } from './java.ts';
import { runMaven } from './maven.ts';
import { provide } from './provide-tool.ts';

/** As in the file beside this one. */
const version = '4.3.1';

const pom = join(root, 'tools/local/downloads/kafka.pom.xml');

/** A folder with the jars of Kafka and of Strimzi's metrics reporter below libs/: KAFKA_HOME, else downloaded once from Maven Central. */
export const provideKafka = () =>
  provide({
    name: `kafka-${version}-with-metrics`,
    variable: 'KAFKA_HOME',
    download: {
      file: '.',
      announcement: `downloading Kafka ${version} from Maven Central (56 MB)`,
      into: (dir) => runMaven('copy-dependencies', join(dir, 'libs'), '-f', pom),
    },
  });

/** A Java home, and what provideKafka gives. */
export const provideKafkaTools = () => Promise.all([provideJava(), provideKafka()]);
