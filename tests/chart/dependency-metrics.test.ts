import { join } from 'node:path';
import { createKafka } from '../../services/shared/src/messaging/kafka/client.ts';
import { createLog } from '../../services/shared/src/observability/log.ts';
import { freePort } from '../../tools/free-port.ts';
import { startKafka } from '../../tools/local/components/kafka.ts';
import { useFolder } from '../kit/folder.ts';
import { metricsSettings } from '../kit/observability/kafka-metrics.ts';
import {
  type Expression,
  expressions,
  missingSeries,
  readSeries,
  type Series,
} from '../kit/observability/prometheus.ts';
import { queryOnce } from '../kit/postgres/database.ts';
import { findExporter, howToGetExporter, startExporter } from '../kit/postgres/postgres-exporter.ts';
import { until } from '../kit/until.ts';

// tests/e2e/whole-store.test.ts compares the metrics of the services and the gateway.

const dir = useFolder();
let all: Expression[];
beforeAll(async () => {
  all = await expressions();
});

const exporter = await findExporter();
if (exporter === undefined) console.log(`postgres_exporter 0.14 or later is missing: ${howToGetExporter}`);

describe('metrics of dependencies', () => {
  it('include those of a broker with production values that alerts and dashboard query, and few others', async () => {
    const metricsPort = await freePort();
    const settings = await metricsSettings(metricsPort);
    const options = { dataDir: join(dir, 'kafka'), port: await freePort(), settings, log: () => undefined };
    const kafka = await startKafka(options);
    try {
      const read = async () => readSeries(await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text());
      const missing = (series: Series) => missingSeries(all, series, (metric) => metric.startsWith('kafka_'));
      // A metric of a topic appears with its first message.
      const producer = createKafka({ ...kafka, clientId: 'test', log: createLog('test', 'silent') }).producer();
      await producer.connect();
      // A new topic may not have a leader yet.
      await until('the broker accepts the message', async () => {
        return (await producer.send({ topic: 'order-events', messages: [{ value: 'x' }] })).length > 0;
      });
      await producer.disconnect();
      await until('the broker has counted the message', async () => missing(await read()).length === 0, {
        timeoutMs: 10_000,
      }).catch(async () => expect(missing(await read())).toEqual([]));
      const series = await read();
      expect(series.has('process_cpu_seconds_total')).toBe(true);
      expect(series.size).toBeLessThan(60);
    } finally {
      await kafka.stop();
    }
  });

  (exporter ? it : it.skip)('include those of postgres_exporter that alerts and dashboard query', async () => {
    const base = process.env.TEST_DATABASE_URL ?? '';
    await queryOnce(base, `create role monitor login password 'monitor' in role pg_monitor`);
    const url = Object.assign(new URL(base), { username: 'monitor', password: 'monitor' }).href;
    const running = await startExporter(exporter ?? '', url, dir);
    try {
      const series = readSeries(await (await fetch(running.url)).text());
      expect(missingSeries(all, series, (metric) => metric.startsWith('pg_'))).toEqual([]);
    } finally {
      await running.stop();
      await queryOnce(base, 'drop role monitor');
    }
  });
});
