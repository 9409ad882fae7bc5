import { promisify } from 'node:util';
import { zstdCompress } from 'node:zlib';
import { readTopic } from '@store/shared/messaging/kafka/read-topic';
import { deadLetterTopic, storeTopics } from '@store/shared/messaging/topics';
import { createLog } from '@store/shared/observability/log';
import { snappyCompress } from 'hysnappy';
import kafkajs, { CompressionTypes, Kafka, logLevel, type Message } from 'kafkajs';
import { register } from 'prom-client';
import { type Codec, publishWithJava } from '../../../../tests/kit/kafka/java-producer.ts';
import { brokers, createTopic } from '../../../../tests/kit/kafka/topic.ts';
import { until } from '../../../../tests/kit/until.ts';
import { anEvent, rawOf, silent, times, useFixture } from './_fixture.ts';

const codecs: Codec[] = ['gzip', 'snappy', 'lz4', 'zstd'];
const mebibyte = 1024 * 1024;

const zstd = promisify(zstdCompress);
const { CompressionCodecs } = kafkajs;
type Encoder = { buffer: Buffer };
CompressionCodecs[CompressionTypes.ZSTD] = () => ({ compress: ({ buffer }: Encoder) => zstd(buffer) });
/** Compresses like librdkafka. Kafka's own producer divides the batch into blocks. */
CompressionCodecs[CompressionTypes.Snappy] = () => ({
  compress: async ({ buffer }: Encoder) => Buffer.from(snappyCompress(buffer)),
});

/** Writes one batch per partition. */
async function write(topic: string, compression: CompressionTypes, ...messages: Message[]): Promise<void> {
  const producer = new Kafka({ brokers, clientId: 'test', logLevel: logLevel.NOTHING }).producer();
  await producer.connect();
  await producer.send({ topic, compression, messages }).finally(() => producer.disconnect());
}

describe('events are handled', () => {
  const fixture = useFixture();

  it.each(codecs)('that a Java producer compressed with %s', async (codec) => {
    const events = times(300, () => anEvent());
    await publishWithJava(fixture.topic, codec, events);
    fixture.start();
    await fixture.has(...events);
  });

  it.each(codecs)('of a topic that the broker compresses with %s', async (codec) => {
    const topic = await createTopic(1, [{ name: 'compression.type', value: codec }]);
    const events = times(300, () => anEvent());
    await fixture.publisher.publish(topic, events);
    fixture.start(undefined, { topics: [topic] });
    await fixture.has(...events);
  });

  it('that a librdkafka producer compressed with snappy', async () => {
    const events = times(300, () => anEvent());
    await write(fixture.topic, CompressionTypes.Snappy, ...events.map((event) => rawOf(event) as Message));
    fixture.start();
    await fixture.has(...events);
  });

  it('of batches that are too large together when decompressed', async () => {
    const reason = 'x'.repeat(10 * mebibyte);
    const events = times(4, () => anEvent(undefined, 'OrderCancelled', { reason }));
    for (const event of events) await write(fixture.topic, CompressionTypes.ZSTD, rawOf(event) as Message);
    fixture.start();
    await fixture.has(...events);
  });
});

it('compressed dead letters are read', async () => {
  const { value, key, headers } = rawOf(anEvent());
  const letter = { dlq_group: `test-${key}`, dlq_topic: 'order-events', dlq_partition: '0', dlq_offset: '0' };
  await write(deadLetterTopic, CompressionTypes.ZSTD, { key, value, headers: { ...headers, ...letter } } as Message);
  const groups: string[] = [];
  await readTopic(silent, deadLetterTopic, (_, message) => void groups.push(String(message.headers?.dlq_group)));
  expect(groups).toContain(`test-${key}`);
});

it('on topics of the store the broker refuses batches that are too large when decompressed, and decompresses others', async () => {
  const options = { partitions: 1, replicas: 1, minInsyncReplicas: 1, retentionMs: -1, retentionBytes: -1 };
  const topic = await createTopic(1, storeTopics(options)[0]?.configEntries);
  const event = rawOf(anEvent()) as Message;
  await expect(write(topic, CompressionTypes.ZSTD, { value: Buffer.alloc(2 * mebibyte) })).rejects.toMatchObject({
    type: 'MESSAGE_TOO_LARGE',
  });
  await write(topic, CompressionTypes.ZSTD, event);
  const found: string[] = [];
  await readTopic(silent, topic, (_, { value }) => void found.push(String(value)));
  expect(found).toEqual([event.value]);
});

describe('a batch that cannot be decoded', () => {
  const fixture = useFixture(2);
  const bomb = { value: Buffer.alloc(17 * mebibyte), partition: 0 };
  const reason = 'it is compressed with zstd; it is longer than 16777216 bytes when decompressed';

  const undecodable = async () => {
    const metric = await register.getSingleMetric('consumer_undecodable_batches')?.get();
    return metric?.values.filter(({ labels, value }) => labels.group === fixture.group && value === 1) ?? [];
  };

  it('is reported, and blocks its partition and no other until its records are deleted', async () => {
    const [before, behind, elsewhere] = [anEvent(), anEvent(), anEvent()];
    await write(fixture.topic, CompressionTypes.None, { ...rawOf(before), partition: 0 } as Message);
    await write(fixture.topic, CompressionTypes.ZSTD, bomb);
    await write(fixture.topic, CompressionTypes.None, { ...rawOf(behind), partition: 0 } as Message);
    const lines: string[] = [];
    const consumer = fixture.start(undefined, {
      log: createLog('test', 'error', { write: (line) => lines.push(line) }),
    });
    await fixture.has(before);
    await until('it is reported', async () => (await undecodable()).length === 1);
    expect(await undecodable()).toMatchObject([{ value: 1, labels: { topic: fixture.topic, partition: 0 } }]);
    expect(consumer.waitingFor()).toBe('undecodable batch');
    await write(fixture.topic, CompressionTypes.None, { ...rawOf(elsewhere), partition: 1 } as Message);
    await fixture.has(elsewhere);
    expect(JSON.parse(lines[0] ?? '{}')).toMatchObject({
      msg: 'A batch cannot be decoded, the partition waits',
      topic: fixture.topic,
      partition: 0,
      offset: '1',
      err: { message: `The batch at offset 1 cannot be decoded: ${reason}` },
    });
    expect(await fixture.handled()).not.toContain(behind.id);

    await fixture.withAdmin(async (admin) => {
      await admin.fetchTopicOffsets(fixture.topic); // makes kafkajs look up the leader
      await admin.deleteTopicRecords({ topic: fixture.topic, partitions: [{ partition: 0, offset: '2' }] });
    });
    await fixture.has(behind);
    expect(consumer.waitingFor()).toBeUndefined();
    expect(await undecodable()).toEqual([]);
  });

  it('leaves a consumer ready if it also serves requests', async () => {
    await write(fixture.topic, CompressionTypes.ZSTD, bomb);
    const consumer = fixture.start(undefined, { servesWithoutKafka: true });
    await until('it is reported', async () => (await undecodable()).length === 1);
    expect(consumer.waitingFor()).toBeUndefined();
  });

  it('makes readTopic fail with an error that names the batch', async () => {
    await write(fixture.topic, CompressionTypes.ZSTD, bomb);
    const reading = readTopic(silent, fixture.topic, () => undefined);
    await expect(reading).rejects.toMatchObject({
      kind: 'unavailable',
      message: `Partition 0 of ${fixture.topic} cannot be read: The batch at offset 0 cannot be decoded: ${reason}`,
    });
  });
});
