import { randomUUID } from 'node:crypto';
import { reportLag } from '@store/shared/messaging/consumer/lag';
import { askAdmin } from '@store/shared/messaging/kafka/admin';
import { createKafka } from '@store/shared/messaging/kafka/client';
import { createPublisher } from '@store/shared/messaging/kafka/publisher';
import { createLog } from '@store/shared/observability/log';
import { register } from 'prom-client';
import { createKafkaProxy } from '../../../tests/kit/kafka/kafka-proxy.ts';
import { brokers, createTopic } from '../../../tests/kit/kafka/topic.ts';
import { until } from '../../../tests/kit/until.ts';

const log = createLog('test', 'silent');
const broker = { brokers, clientId: 'test', log };
const closing: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

const newGroup = () => `test-${randomUUID()}-group`;

it("a group's lag is reported by its own service, and by others while it has no member, for as long as the broker answers", async () => {
  const topic = await createTopic();
  const publisher = createPublisher(broker);
  closing.push(publisher.close);
  const event = () => ({ id: randomUUID(), kind: 'Test', payload: '{}', traceparent: null, createdAt: new Date() });
  await publisher.publish(
    topic,
    [1, 2, 3].map((key) => ({ ...event(), key: String(key) })),
  );
  const [own, abandoned, alive] = [newGroup(), newGroup(), newGroup()];
  const commit = (groupId: string, offset: string) =>
    askAdmin(broker, 10_000, (admin) => admin.setOffsets({ groupId, topic, partitions: [{ partition: 0, offset }] }));
  await commit(abandoned, '2');
  await commit(alive, '1');
  const consumer = createKafka(broker).consumer({ groupId: alive });
  closing.push(() => consumer.disconnect());
  await consumer.connect();
  await consumer.subscribe({ topics: [topic] });
  const joined = new Promise((resolve) => consumer.on(consumer.events.GROUP_JOIN, resolve));
  await consumer.run({ autoCommit: false, eachMessage: async () => {} });
  await joined;

  const proxy = await createKafkaProxy();
  closing.push(proxy.close);
  const reporting = reportLag({ ...broker, brokers: proxy.brokers }, [topic], own);
  closing.push(async () => reporting.stop());
  const lags = async () => {
    const { values } = (await register.getSingleMetric('consumer_lag_messages')?.get()) ?? { values: [] };
    const ofTopic = values.filter(({ labels }) => labels.topic === topic);
    return Object.fromEntries(ofTopic.map(({ labels, value }) => [labels.group, value]));
  };
  expect(await lags()).toEqual({ [own]: 3, [abandoned]: 1 });

  await commit(own, '1');
  expect(await lags()).toEqual({ [own]: 2, [abandoned]: 1 });

  await proxy.set('silent');
  expect(await lags()).toEqual({});
  await proxy.set('pass');
  await until('the lag is reported again', async () => (await lags())[own] === 2);
});
