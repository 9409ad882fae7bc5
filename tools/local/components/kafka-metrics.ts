import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { renderChart, valuesFiles } from '../../chart/render.ts';
import { provideKafkaMetrics } from '../downloads/kafka.ts';

/** Settings and classpath with which a broker serves what the production values let it serve, on `/metrics` of a port. */
export async function kafkaMetrics(port: number): Promise<{ settings: string; classpath: string }> {
  const documents = parseAllDocuments(await renderChart(valuesFiles.prod)).map((document) => document.toJS());
  const { metricsConfig } = documents.find(({ kind }) => kind === 'Kafka').spec.kafka;
  const settings = `metric.reporters=io.strimzi.kafka.metrics.KafkaPrometheusMetricsReporter
kafka.metrics.reporters=io.strimzi.kafka.metrics.YammerPrometheusMetricsReporter
prometheus.metrics.reporter.listener.enable=true
prometheus.metrics.reporter.listener=http://127.0.0.1:${port}
prometheus.metrics.reporter.allowlist=${metricsConfig.values.allowList}
`;
  return { settings, classpath: join(await provideKafkaMetrics(), 'libs', '*') };
}
