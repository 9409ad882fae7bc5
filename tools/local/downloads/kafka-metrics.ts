import { join } from 'node:path';
import { runMaven } from './maven.ts';
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
      into: (dir) => runMaven('copy', 'kafka-metrics', `-DoutputDirectory=${join(dir, 'libs')}`),
    },
  });
