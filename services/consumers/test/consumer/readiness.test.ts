import { createKafka } from '@store/shared/messaging/kafkajs/client';
import { createKafkaProxy } from '../../../../tests/kit/kafka/kafka-proxy.ts';
import { until } from '../../../../tests/kit/until.ts';
import { createFixture, type Fixture, silent } from './_fixture.ts';

let fixture: Fixture;
beforeEach(async () => {
  fixture = await createFixture();
});
afterEach(() => fixture.close());

test('a consumer waits for a topic that the broker does not have', async () => {
  const topic = `${fixture.topic}-later`;
  const consumer = fixture.start(undefined, { topics: [topic] });
  expect(consumer.waitingFor()).toBe('kafka');
  await until('the broker has said so', () => consumer.waitingFor() === 'topics');
  await fixture.withAdmin((admin) =>
    admin.createTopics({ topics: [{ topic, numPartitions: 1, replicationFactor: 1 }] }),
  );
  await until('it is a member', () => consumer.waitingFor() === undefined);
});

test('a consumer waits for Kafka, but one that serves without it only until it was a member', async () => {
  const proxy = await createKafkaProxy();
  fixture.onEnd(proxy.close);
  await proxy.set('refuse');
  const connect = (signal: AbortSignal) => createKafka({ ...silent, brokers: proxy.brokers, signal });
  const working = fixture.start(undefined, { connect });
  const serving = fixture.start(undefined, { connect, servesWithoutKafka: true });
  const waiting = () => [working.waitingFor(), serving.waitingFor()];
  expect(waiting()).toEqual(['kafka', 'kafka']);

  await proxy.set('pass');
  await until('both are members', () => waiting().every((one) => one === undefined));
  await proxy.set('refuse');
  await until('the one waits', () => working.waitingFor() === 'kafka');
  expect(waiting()).toEqual(['kafka', undefined]);

  await proxy.set('pass');
  await until('it is a member again', () => working.waitingFor() === undefined);
}, 120_000);
