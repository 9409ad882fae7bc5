import { renderObjects, valuesFiles } from '../../../tools/chart/render.ts';

/** Settings with which a broker serves what the production values let it serve, on `/metrics` of a port. */
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
