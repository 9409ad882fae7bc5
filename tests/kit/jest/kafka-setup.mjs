import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import getPort from 'get-port';
import { tsImport } from 'tsx/esm/api';

/** Starts one Kafka broker for the component tests that publish or consume events. */
export default async function startForTests() {
  const { startKafka } = await tsImport('../../../tools/local/components/kafka.ts', import.meta.url);
  const dir = await mkdtemp(join(tmpdir(), 'store-test-kafka-'));
  const kafka = await startKafka({ dataDir: join(dir, 'data'), port: await getPort(), log: () => undefined });
  process.env.TEST_KAFKA_BROKERS = kafka.brokers.join(',');
  globalThis.stopTestKafka = async () => {
    await kafka.stop();
    await rm(dir, { recursive: true, force: true });
  };
}
