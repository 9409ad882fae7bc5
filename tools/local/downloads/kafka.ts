import { provideJava } from './java.ts';
import { installJars } from './maven.ts';
import { provide } from './provide-tool.ts';

const version = '4.3.1';
const kafka = [
  `org.apache.kafka:kafka_2.13:${version}`,
  `org.apache.kafka:kafka-tools:${version}`,
  'org.apache.logging.log4j:log4j-slf4j-impl:2.25.4', // without it Kafka logs nothing
];

/** A folder with Kafka's jars below libs/: KAFKA_HOME, else downloaded once from Maven Central. */
export const provideKafka = () =>
  provide({
    name: `kafka-${version}`,
    variable: 'KAFKA_HOME',
    download: {
      file: '.',
      announcement: `downloading Kafka ${version} from Maven Central (54 MB)`,
      into: (dir) => installJars(dir, kafka, 'b9bc1960a9abc8029f4c56203381a0b24e3a6a03c51a2a10aaa793f837c60d01'),
    },
  });

/** A Java home, and what provideKafka gives. */
export const provideKafkaTools = () => Promise.all([provideJava(), provideKafka()]);

/** The last one in a single artifact. Strimzi 1.2 has 0.3.0, which gives metrics the same names. */
const reporter = '0.2.0';

/** A folder with the jars of Strimzi's metrics reporter below libs/: KAFKA_METRICS_HOME, else downloaded like Kafka. */
export const provideKafkaMetrics = () =>
  provide({
    name: `kafka-metrics-${reporter}`,
    variable: 'KAFKA_METRICS_HOME',
    download: {
      file: '.',
      announcement: `downloading Strimzi's metrics reporter ${reporter} from Maven Central (2 MB)`,
      into: (dir) =>
        installJars(
          dir,
          [`io.strimzi:metrics-reporter:${reporter}`],
          'e46fa700202b0b683701fd598daddf1977383a2dbe79c345ecae426f3112d3ce',
        ),
    },
  });
