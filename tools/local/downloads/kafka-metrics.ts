import { join } from 'node:path';
import { execa } from 'execa';
import { root } from '../../paths.ts';
import { provideMaven } from './maven.ts';
import { provide } from './provide-tool.ts';

/** The last one in a single artifact. Strimzi 1.2 has 0.3.0, which gives metrics the same names. */
const version = '0.2.0';

/** A folder with the jars of Strimzi's metrics reporter below libs/: KAFKA_METRICS_HOME, else downloaded once from Maven Central. */
export const provideKafkaMetrics = () =>
  provide({
    name: `kafka-metrics-${version}`,
    variable: 'KAFKA_METRICS_HOME',
    download: {
      file: '.',
      announcement: `downloading Strimzi's metrics reporter ${version} from Maven Central (2 MB)`,
      into: async (dir) => {
        const goal = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';
        const pom = join(root, 'tools/local/downloads/poms/kafka-metrics.pom.xml');
        await execa(await provideMaven(), ['-B', '-f', pom, goal, `-DoutputDirectory=${join(dir, 'libs')}`]);
      },
    },
  });
