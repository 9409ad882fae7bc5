import { join } from 'node:path';
import { execa } from 'execa';
import { root } from '../../paths.ts';
import { provideMaven } from './maven.ts';
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
      into: async (dir) => {
        const goal = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';
        const pom = join(root, 'tools/local/downloads/poms/kafka.pom.xml');
        await execa(await provideMaven(), ['-B', '-f', pom, goal, `-DoutputDirectory=${join(dir, 'libs')}`]);
      },
    },
  });
