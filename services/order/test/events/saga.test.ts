import { randomUUID } from 'node:crypto';
import { startConsumer } from '@store/shared/messaging/consumer/consumer';
import { type ConsumerGroup, createEventProcessor } from '@store/shared/messaging/consumer/handle-once';
import { deleteOldEventIds } from '@store/shared/messaging/consumer/processed-events';
import { createKafka, createPublisher } from '@store/shared/messaging/kafka';
import { createLog } from '@store/shared/observability/log';
import { Decimal } from '@store/shared/values/money';
import request from 'supertest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/kit/database.ts';
import { receivedEvent, storedEvent } from '../../../../tests/kit/order-events.ts';
import { brokers, createTopic, readTopic } from '../../../../tests/kit/topic.ts';
import { until } from '../../../../tests/kit/until.ts';
import type { DB } from '../../src/generated/tables.ts';
import { createSaga } from '../../src/saga.ts';
import { alice, eventsOf, tea, testApp } from '../_app.ts';

const placedAt = new Date('2026-03-04T05:06:07.089Z');
const toldAt = new Date('2026-03-04T05:06:08.500Z');
const now = new Date('2026-03-04T05:06:09.001Z');

let database: TestDatabase;
let order: ReturnType<typeof testApp>;
const saga = createSaga(() => now);

beforeAll(async () => {
  database = await createTestDatabase('order');
  order = testApp(database.url, { clock: () => placedAt });
});
afterAll(async () => {
  await order.close();
  await database.drop();
});

type Stored = ReturnType<typeof storedEvent>;
const processorOf = (group: ConsumerGroup<DB> = saga) => createEventProcessor(group, order.kysely);
const apply = (...events: Stored[]) => processorOf().process(events.map(receivedEvent));

async function placed(): Promise<string> {
  const items = [{ productId: tea, quantity: 2 }];
  const response = await request(order.app).post('/orders').set('id-account', alice).send({ items });
  expect(response.status).toBe(201);
  return response.body.id;
}

async function shown(id: string) {
  const { body } = await request(order.app).get(`/orders/${id}`).set('id-account', alice);
  const { status, createdAt, updatedAt, paidAt, shippedAt, cancelledAt } = body;
  return { status, createdAt, updatedAt, paidAt, shippedAt, cancelledAt };
}
const cancel = (id: string) => request(order.app).post(`/orders/${id}/cancellation`).set('id-account', alice);
const reasonOf = async (id: string) =>
  (await request(order.app).get(`/orders/${id}/cancellation`).set('id-account', alice)).body.reason;

const items = [{ productId: tea, quantity: 2 }];
const common = (orderId: string) => ({ orderId, customerId: alice, timestamp: toldAt.toISOString() });
const money = { amount: new Decimal(9), currency: 'USD' };
const events = {
  OrderPaid: (id: string) => storedEvent('OrderPaid', { ...common(id), paymentId: randomUUID(), amount: money }),
  StockRejected: (id: string) => storedEvent('StockRejected', { ...common(id), items }),
  StockReleased: (id: string) => storedEvent('StockReleased', { ...common(id), items, reason: 'payment failed' }),
  OrderShipped: (id: string) => storedEvent('OrderShipped', { ...common(id), shipmentId: randomUUID() }),
};
const each = Object.entries(events);

describe('an order', () => {
  it('is CONFIRMED when it is paid, and then shipped; after that it cannot be cancelled', async () => {
    const id = await placed();
    await apply(events.OrderPaid(id));
    const confirmed = {
      status: 'CONFIRMED',
      createdAt: placedAt.toISOString(),
      updatedAt: now.toISOString(),
      paidAt: toldAt.toISOString(),
    };
    expect(await shown(id)).toEqual(confirmed);
    await apply(events.OrderShipped(id));
    expect(await shown(id)).toEqual({ ...confirmed, shippedAt: toldAt.toISOString() });
    await cancel(id).expect(409);
  });

  it.each([
    ['StockRejected', 'out of stock'],
    ['StockReleased', 'payment failed'],
  ] as const)('is CANCELLED on %s, because: %s', async (kind, reason) => {
    const id = await placed();
    await apply(events[kind](id));
    const at = now.toISOString();
    expect(await shown(id)).toMatchObject({ status: 'CANCELLED', cancelledAt: at, updatedAt: at });
    expect(await reasonOf(id)).toBe(reason);
  });

  it('is not shipped while it is PENDING', async () => {
    const id = await placed();
    const before = await shown(id);
    await apply(events.OrderShipped(id));
    expect(await shown(id)).toEqual(before);
  });

  it.each(['OrderPaid', 'StockRejected', 'StockReleased'] as const)('stays CONFIRMED on %s', async (kind) => {
    const id = await placed();
    await apply(events.OrderPaid(id));
    await order.prisma
      .$executeRaw`update orders set updated_at = ${placedAt}, paid_at = ${placedAt} where id = ${id}::uuid`;
    const before = await shown(id);
    await apply(events[kind](id));
    expect(await shown(id)).toEqual(before);
  });

  it.each(each)('that its owner cancelled stays so on %s', async (kind, event) => {
    const id = await placed();
    await cancel(id).expect(201);
    const before = await shown(id);
    await apply(event(id));
    const paid = kind === 'OrderPaid' ? { paidAt: toldAt.toISOString(), updatedAt: now.toISOString() } : {};
    expect(await shown(id)).toEqual({ ...before, ...paid });
    expect(await reasonOf(id)).toBe('cancelled by the customer');
  });

  it.each(each)('that was paid and then cancelled by its owner changes nothing on %s', async (_, event) => {
    const id = await placed();
    await apply(events.OrderPaid(id));
    await cancel(id).expect(201);
    const before = await shown(id);
    await apply(event(id));
    expect(await shown(id)).toEqual(before);
  });

  it('that has been shipped keeps its first times, whatever comes again', async () => {
    const id = await placed();
    await apply(events.OrderPaid(id), events.OrderShipped(id));
    await order.prisma
      .$executeRaw`update orders set shipped_at = ${placedAt}, updated_at = ${placedAt} where id = ${id}::uuid`;
    const before = await shown(id);
    for (const [, event] of each) await apply(event(id));
    expect(await shown(id)).toEqual(before);
  });

  it('that its owner deleted goes its way unseen', async () => {
    const id = await placed();
    await request(order.app).delete(`/orders/${id}`).set('id-account', alice).expect(204);
    await apply(events.OrderPaid(id));
    const row = await order.prisma.order.findUniqueOrThrow({ where: { id } });
    expect(row).toMatchObject({ status: 'CANCELLED', paidAt: toldAt });
  });

  it('tells nothing of these steps, and one that nobody knows changes nothing', async () => {
    const id = await placed();
    const count = await order.prisma.order.count();
    for (const [, event] of each) await apply(event(id), event(randomUUID()));
    expect(await eventsOf(order.prisma, id)).toEqual(['OrderCreated']);
    expect(await order.prisma.order.count()).toBe(count);
  });
});

describe('an event', () => {
  it('that comes again is known by its id, in one chunk and in another', async () => {
    const id = await placed();
    const paid = events.OrderPaid(id);
    await apply(paid, paid);
    await order.prisma.$executeRaw`update orders set status = 'PENDING' where id = ${id}::uuid`;
    await apply(paid);
    expect(await shown(id)).toMatchObject({ status: 'PENDING' });
    await apply(events.OrderPaid(id));
    expect(await shown(id)).toMatchObject({ status: 'CONFIRMED' });
  });

  it('is not known when its effect was not committed', async () => {
    const id = await placed();
    const paid = receivedEvent(events.OrderPaid(id));
    const cutOff: ConsumerGroup<DB> = {
      ...saga,
      async handle(events, tx) {
        await saga.handle(events, tx);
        throw new Error('cut off');
      },
    };
    await expect(processorOf(cutOff).process([paid])).rejects.toThrow('cut off');
    expect(await shown(id)).toMatchObject({ status: 'PENDING' });
    await processorOf().process([paid]);
    expect(await shown(id)).toMatchObject({ status: 'CONFIRMED' });
  });

  it('handled by eight processes at the same time has one effect', async () => {
    const ids = await Promise.all(Array.from({ length: 8 }, placed));
    const all = ids.map((id) => events.OrderPaid(id));
    await Promise.all(Array.from({ length: 8 }, () => apply(...all)));
    for (const id of ids) expect(await shown(id)).toMatchObject({ status: 'CONFIRMED' });
  });

  it('is forgotten after 30 days', async () => {
    await order.prisma.$executeRaw`
      insert into processed_events (consumer_group, event_id, processed_at)
      select 'old-group', gen_random_uuid(), now() - n * interval '10 days 1 hour' from generate_series(0, 6000) as n`;
    expect(await deleteOldEventIds(order.kysely)).toBe(5998);
    expect(await order.prisma.processedEvent.count({ where: { consumerGroup: 'old-group' } })).toBe(3);
  });
});

describe('the owner cancels at the same time', () => {
  it('as it is paid: CANCELLED and paid, whoever is first', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, placed));
    await Promise.all(ids.flatMap((id) => [apply(events.OrderPaid(id)), cancel(id).expect(201)]));
    for (const id of ids) {
      expect(await shown(id)).toMatchObject({ status: 'CANCELLED', paidAt: toldAt.toISOString() });
      expect(await eventsOf(order.prisma, id)).toEqual(['OrderCreated', 'OrderCancelled']);
    }
  });

  it('as it is shipped: one of the two', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, placed));
    await apply(...ids.map((id) => events.OrderPaid(id)));
    const answers = ids.map(async (id) => {
      const [{ status }] = await Promise.all([cancel(id), apply(events.OrderShipped(id))]);
      const { status: state, shippedAt } = await shown(id);
      return { status, state, isShipped: shippedAt !== undefined };
    });
    for (const answer of await Promise.all(answers)) {
      expect(answer).toEqual(
        answer.isShipped
          ? { status: 409, state: 'CONFIRMED', isShipped: true }
          : { status: 201, state: 'CANCELLED', isShipped: false },
      );
    }
  });

  it('as its stock is rejected or released: CANCELLED once', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, placed));
    await Promise.all(
      ids.flatMap((id) => [apply(events.StockRejected(id)), apply(events.StockReleased(id)), cancel(id)]),
    );
    for (const id of ids) {
      const reason = await reasonOf(id);
      expect(await shown(id)).toMatchObject({ status: 'CANCELLED' });
      expect(await eventsOf(order.prisma, id)).toEqual(
        reason === 'cancelled by the customer' ? ['OrderCreated', 'OrderCancelled'] : ['OrderCreated'],
      );
    }
  });
});

it('from a real topic: OrderPaid confirms, what is poison dies and holds up nothing, others are skipped', async () => {
  const broker = { brokers, clientId: 'order', log: createLog('order', 'silent') };
  const [topic, group] = [await createTopic(3), `order-${randomUUID()}`];
  const publisher = createPublisher(broker);
  const letters = await readTopic('order-events-dlq');
  const consumer = startConsumer({
    processor: processorOf({ ...saga, name: group }),
    topic,
    kafka: createKafka(broker),
    sender: publisher,
    retry: { attempts: 3, firstDelayMs: 10, multiplier: 2 },
    log: broker.log,
    onCrash: (error) => {
      throw error;
    },
  });
  try {
    const ids = await Promise.all(Array.from({ length: 50 }, placed));
    const [first = ''] = ids;
    const headers = { ce_type: 'OrderPaid', ce_id: randomUUID() };
    await publisher.send(topic, [
      { key: first, value: '{"orderId":1}', headers },
      { key: first, value: 'not read', headers: { ...headers, ce_type: 'OrderPaidV2' } },
    ]);
    const paid = ids.map((id) => events.OrderPaid(id));
    await publisher.publish(topic, [...paid, ...paid]);
    await until('all are confirmed', async () => {
      const count = await order.prisma.order.count({ where: { id: { in: ids }, status: 'CONFIRMED' } });
      return count === ids.length;
    });
    await until('the poison is dead', () => letters.messages.some((letter) => letter.headers.dlq_group === group));
    expect(letters.messages.filter((letter) => letter.headers.dlq_group === group)).toHaveLength(1);
  } finally {
    await consumer.stop();
    await letters.close();
    await publisher.close();
  }
});
