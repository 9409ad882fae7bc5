import { randomUUID } from 'node:crypto';
import { startConsumer } from '@store/shared/messaging/consumer/consumer';
import type { ConsumerGroup } from '@store/shared/messaging/consumer/handle-once';
import { deleteOldEventIds } from '@store/shared/messaging/consumer/processed-events';
import { createKafka } from '@store/shared/messaging/kafkajs/client';
import { createPublisher } from '@store/shared/messaging/kafkajs/publisher';
import { createLog } from '@store/shared/observability/log';
import { receivedEvent } from '../../../../tests/kit/kafka/order-events.ts';
import { brokers, createTopic, readTopic } from '../../../../tests/kit/kafka/topic.ts';
import { until } from '../../../../tests/kit/until.ts';
import type { DB } from '../../src/generated/tables.ts';
import { createFixture, events, type Fixture } from './_saga.ts';

let fixture: Fixture;

beforeAll(async () => {
  fixture = await createFixture();
});
afterAll(() => fixture.close());

describe('event of the order saga', () => {
  it('is skipped when repeated under its id, within one chunk and across chunks', async () => {
    const id = await fixture.place();
    const paid = events.OrderPaid(id);
    await fixture.handle(paid, paid);
    await fixture.prisma.$executeRaw`update orders set status = 'PENDING' where id = ${id}::uuid`;
    await fixture.handle(paid);
    expect(await fixture.stateOf(id)).toMatchObject({ status: 'PENDING' });
    await fixture.handle(events.OrderPaid(id));
    expect(await fixture.stateOf(id)).toMatchObject({ status: 'CONFIRMED' });
  });

  it('is handled again after a rollback', async () => {
    const id = await fixture.place();
    const paid = receivedEvent(events.OrderPaid(id));
    const crashing: ConsumerGroup<DB> = {
      ...fixture.saga,
      async handle(events, tx, refuse) {
        await fixture.saga.handle(events, tx, refuse);
        throw new Error('crashed');
      },
    };
    await expect(fixture.processorOf(crashing).process([paid])).rejects.toThrow('crashed');
    expect(await fixture.stateOf(id)).toMatchObject({ status: 'PENDING' });
    await fixture.processorOf().process([paid]);
    expect(await fixture.stateOf(id)).toMatchObject({ status: 'CONFIRMED' });
  });

  it('is handled once by eight concurrent consumers', async () => {
    const ids = await Promise.all(Array.from({ length: 8 }, fixture.place));
    const all = ids.map((id) => events.OrderPaid(id));
    await Promise.all(Array.from({ length: 8 }, () => fixture.handle(...all)));
    for (const id of ids) expect(await fixture.stateOf(id)).toMatchObject({ status: 'CONFIRMED' });
  });

  it('has its id deleted after 30 days', async () => {
    await fixture.prisma.$executeRaw`
      insert into processed_events (consumer_group, event_id, processed_at)
      select 'old-group', gen_random_uuid(), now() - n * interval '10 days 1 hour' from generate_series(0, 6000) as n`;
    const broker = { brokers, clientId: 'order', log: createLog('order', 'silent') };
    expect(await deleteOldEventIds(fixture.kysely, broker, [await createTopic(3)])).toBe(5998);
    expect(await fixture.prisma.processedEvent.count({ where: { consumerGroup: 'old-group' } })).toBe(3);
  });
});

test('order-group confirms paid orders from a topic, dead-letters poison and skips unknown kinds', async () => {
  const broker = { brokers, clientId: 'order', log: createLog('order', 'silent') };
  const [topic, group] = [await createTopic(3), `order-${randomUUID()}`];
  const publisher = createPublisher(broker);
  const deadLetters = await readTopic('order-events-dlq');
  const consumer = startConsumer({
    ...fixture.processorOf({ ...fixture.saga, name: group }),
    topics: [topic],
    connect: (signal) => createKafka({ ...broker, signal }),
    sender: publisher,
    retry: { attempts: 3, firstDelayMs: 10, multiplier: 2 },
    log: broker.log,
  });
  try {
    const ids = await Promise.all(Array.from({ length: 50 }, fixture.place));
    const [first = ''] = ids;
    const headers = { ce_type: 'OrderPaid', ce_id: randomUUID() };
    await publisher.send(topic, [
      { key: first, value: '{"orderId":1}', headers },
      { key: first, value: 'not read', headers: { ...headers, ce_type: 'OrderPaidV2' } },
    ]);
    const paid = ids.map((id) => events.OrderPaid(id));
    await publisher.publish(topic, [...paid, ...paid]);
    await until('all orders are confirmed', async () => {
      const count = await fixture.prisma.order.count({ where: { id: { in: ids }, status: 'CONFIRMED' } });
      return count === ids.length;
    });
    const ofGroup = () => deadLetters.messages.filter(({ headers }) => headers.dlq_group === group);
    await until('the poison is a dead letter', () => ofGroup().length > 0);
    expect(ofGroup()).toHaveLength(1);
  } finally {
    await consumer.stop();
    await deadLetters.close();
    await publisher.close();
  }
});
