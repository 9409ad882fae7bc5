// @ts-check
// make tools: downloads Envoy, Java, Kafka and Helm into .cache/tools, unless they are installed.
import { provideEnvoy } from '../downloads/envoy.mjs';
import { provideHelm } from '../downloads/helm.mjs';
import { provideKafkaTools } from '../downloads/java.mjs';
import { messageOf } from '../downloads/provide-tool.mjs';

// An exit also ends the downloads.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(130));

await Promise.all([provideKafkaTools(), provideHelm(), provideEnvoy()]).catch((error) => {
  console.error(messageOf(error));
  process.exitCode = 1; // what else is being downloaded is kept
});
