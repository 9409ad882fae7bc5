import { connect as connectTo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { createKafka } from '@store/shared/messaging/kafka/client';
import { Kafka, logLevel, type Message } from 'kafkajs';
import { createKafkaProxy } from '../../../../tests/kit/kafka/kafka-proxy.ts';
import { brokers } from '../../../../tests/kit/kafka/topic.ts';
import { until } from '../../../../tests/kit/until.ts';
import { anEvent, rawOf, silent, useFixture } from './_fixture.ts';

/** The API key of FindCoordinator in the Kafka protocol. It follows the four bytes of the length. */
const findCoordinator = 10;
/** Shorter than a broker holds a fetch while there are no messages. */
const soonMs = 2_000;

describe('a consumer', () => {
  const fixture = useFixture(2);

  it('waits for a topic that the broker does not have', async () => {
    const topic = `${fixture.topic}-later`;
    const consumer = fixture.start(undefined, { topics: [topic] });
    expect(consumer.waitingFor()).toBe('kafka');
    await until('the broker has answered', () => consumer.waitingFor() === 'topics');
    await fixture.withAdmin((admin) =>
      admin.createTopics({ topics: [{ topic, numPartitions: 1, replicationFactor: 1 }], waitForLeaders: false }),
    );
    await until('it is a member', () => consumer.waitingFor() === undefined);
  });

  it('waits for Kafka, but only until it was a member if it serves without Kafka', async () => {
    const proxy = await createKafkaProxy();
    fixture.onEnd(proxy.close);
    await proxy.set('refuse');
    const connect = (signal: AbortSignal) => createKafka({ ...silent, brokers: proxy.brokers, signal });
    const working = fixture.start(undefined, { connect });
    const serving = fixture.start(undefined, { connect, servesWithoutKafka: true });
    const waiting = () => [working.waitingFor(), serving.waitingFor()];
    expect(waiting()).toEqual(['kafka', 'kafka']);

    await proxy.set('pass');
    await until('both are members', () => waiting().every((dependency) => dependency === undefined));
    await proxy.set('refuse');
    await until('the first consumer waits', () => working.waitingFor() === 'kafka');
    expect(waiting()).toEqual(['kafka', undefined]);

    await proxy.set('pass');
    await until('it is a member again', () => working.waitingFor() === undefined);
  }, 120_000);

  // KafkaJS gives up for good when no broker names the group's coordinator, as happens while a broker starts.
  it('keeps trying while no broker names the coordinator of its group (it once ended the process)', async () => {
    let refused = 0;
    let isStarting = true;
    const kafka = new Kafka({
      brokers,
      clientId: 'test',
      logLevel: logLevel.NOTHING,
      retry: { initialRetryTime: 50, maxRetryTime: 100, retries: 2 },
      socketFactory({ host, port, onConnect }) {
        const socket = connectTo(port, host, onConnect);
        const write = socket.write.bind(socket) as (bytes: Buffer) => boolean;
        socket.write = (bytes: unknown) => {
          if (!isStarting || !Buffer.isBuffer(bytes) || bytes.readInt16BE(4) !== findCoordinator)
            return write(bytes as Buffer);
          refused += 1;
          socket.destroy(new Error('connection closed'));
          return false;
        };
        return socket;
      },
    });
    fixture.start(undefined, { connect: () => kafka });
    await until('requests for the coordinator have failed', () => refused > 3);
    isStarting = false;

    const event = anEvent();
    await fixture.publish(event);
    await fixture.has(event);
  }, 120_000);

  it('reads partitions that were added within a minute (it took up to five)', async () => {
    const [before, added] = [anEvent(), anEvent()];
    await fixture.publish(before);
    fixture.start();
    await fixture.has(before);
    await fixture.withAdmin((admin) =>
      admin.createPartitions({ topicPartitions: [{ topic: fixture.topic, count: 3 }] }),
    );
    const producer = createKafka(silent).producer();
    fixture.onEnd(() => producer.disconnect());
    await producer.connect();
    await until('the new partition takes an event', async () => {
      const message = { ...rawOf(added), partition: 2 } as Message;
      return (await producer.send({ topic: fixture.topic, messages: [message] })).length === 1;
    });
    await fixture.has(added);
  }, 120_000);

  it('leaves its group without waiting for a fetch in flight', async () => {
    const first = anEvent();
    await fixture.publish(first);
    const consumer = fixture.start();
    await fixture.has(first);
    await wait(300); // until the next fetch is sent
    const startedAt = performance.now();
    await consumer.stop();
    expect(performance.now() - startedAt).toBeLessThan(soonMs);
    await fixture.reset(); // fails unless the group is empty
  });

  it('continues with a partition after a long batch without waiting for a fetch of the others', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const slow = anEvent();
    const next = anEvent(slow.key); // of the same partition
    let hasStarted = false;
    fixture.start(async (id) => {
      if (id !== slow.id) return;
      hasStarted = true;
      await released;
    });
    await fixture.publish(slow);
    await until('the handler has started', () => hasStarted);
    await wait(400); // until it continues in the background, and the other partition is fetched
    release();
    await fixture.publish(next);
    const startedAt = performance.now();
    await fixture.has(next);
    expect(performance.now() - startedAt).toBeLessThan(soonMs);
  });
});
