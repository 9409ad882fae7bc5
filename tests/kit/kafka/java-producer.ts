import type { StoredEvent } from '@store/shared/messaging/events';
import { execa } from 'execa';
import { javaCommand } from '../../../tools/local/components/kafka.ts';
import { brokers } from './topic.ts';

export type Codec = 'none' | 'gzip' | 'snappy' | 'lz4' | 'zstd';

/** Publishes events with Kafka's own console producer, which collects lines for a second and so sends them in one batch. */
export async function publishWithJava(topic: string, codec: Codec, events: StoredEvent[]): Promise<void> {
  const [java, ...flags] = await javaCommand();
  const properties = ['parse.key=true', 'parse.headers=true'].flatMap((one) => ['--reader-property', one]);
  const lines = events.map(({ id, kind, key, payload }) => `ce_id:${id},ce_type:${kind}\t${key}\t${payload}\n`);
  const options = ['--topic', topic, '--compression-codec', codec, '--max-memory-bytes', '67108864', ...properties];
  const batch = ['--batch-size', '1000000', '--timeout', '1000'];
  await execa(
    java,
    [...flags, 'org.apache.kafka.tools.ConsoleProducer', '--bootstrap-server', brokers.join(), ...options, ...batch],
    { input: lines.join('') },
  );
}
