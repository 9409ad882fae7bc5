import { renderObjects, valuesFiles } from '../../../tools/chart/render.ts';

/** Broker settings that serve the metrics of the production values at `/metrics` on the given port. */
export async function metricsSettings(port: number): Promise<string> {
  const documents = await renderObjects({}, valuesFiles.prod);
  const { metricsConfig } = documents.find(({ kind }) => kind === 'Kafka').spec.kafka;
  return `metric.reporters=io.strimzi.kafka.metrics.KafkaPrometheusMetricsReporter
kafka.metrics.reporters=io.strimzi.kafka.metrics.YammerPrometheusMetricsReporter
prometheus.metrics.reporter.listener.enable=true
prometheus.metrics.reporter.listener=http://127.0.0.1:${port}
prometheus.metrics.reporter.allowlist=${metricsConfig.values.allowList}
`;
}
