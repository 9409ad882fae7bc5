import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../tools/free-port.ts';
import { startKafka } from '../../../tools/local/components/kafka.ts';
import { afterTests } from './shared.mjs';

/**
 * Proxies before the broker, each with a listener of its own: as many as test files hold at the same time. Those of payment's
 * broken-connections.test.ts are eight until its end, and consumers' broker.test.ts has another one.
 */
const proxies = 9;

/** Starts one Kafka broker for the component tests that publish or consume events. */
export default async function startForTests() {
  const dir = await mkdtemp(join(tmpdir(), 'store-test-kafka-'));
  const port = await freePort();
  const proxied = [];
  for (let index = 0; index < proxies; index++)
    proxied.push({ port: await freePort(), proxyPort: await freePort(), lock: join(dir, `proxy-${index}`) });
  const kafka = await startKafka({ dataDir: join(dir, 'data'), port, proxied, log: () => undefined });
  process.env.TEST_KAFKA_BROKERS = kafka.brokers.join(',');
  process.env.TEST_KAFKA_PROXIED = JSON.stringify(proxied);
  afterTests(async () => {
    await kafka.stop();
    await rm(dir, { recursive: true, force: true });
  });
}
