import { join } from 'node:path';
import { provideJava } from './java.ts';
import { runMaven } from './maven.ts';
import { provide } from './provide-tool.ts';

const version = '4.3.1';

/** A folder with Kafka's jars below libs/: KAFKA_HOME, else downloaded once from Maven Central. */
export const provideKafka = () =>
  provide({
    name: `kafka-${version}`,
    variable: 'KAFKA_HOME',
    download: {
      file: '.',
      announcement: `downloading Kafka ${version} from Maven Central (54 MB)`,
      into: (dir) => runMaven('copy', 'kafka', `-DoutputDirectory=${join(dir, 'libs')}`),
    },
  });

/** A Java home, and what provideKafka gives. */
export const provideKafkaTools = () => Promise.all([provideJava(), provideKafka()]);
