import { accountEventsTopic, deadLetterTopic, orderEventsTopic, storeTopics } from './topics.ts';

it('events have a limit of time and size; dead letters never expire', () => {
  const options = { partitions: 6, replicas: 3, minInsyncReplicas: 2, retentionMs: 1000, retentionBytes: 2000 };
  const retention = storeTopics(options).map(({ topic, configEntries }) => [
    topic,
    ...configEntries.filter(({ name }) => name.startsWith('retention.')).map(({ name, value }) => `${name}=${value}`),
  ]);
  expect(retention).toEqual([
    [orderEventsTopic, 'retention.ms=1000', 'retention.bytes=2000'],
    [accountEventsTopic, 'retention.ms=1000', 'retention.bytes=2000'],
    [deadLetterTopic, 'retention.ms=-1', 'retention.bytes=-1'],
  ]);
});

it('the broker decompresses messages, in every topic', () => {
  const options = { partitions: 6, replicas: 3, minInsyncReplicas: 2, retentionMs: 1000, retentionBytes: 2000 };
  for (const { configEntries } of storeTopics(options))
    expect(configEntries).toContainEqual({ name: 'compression.type', value: 'uncompressed' });
});
