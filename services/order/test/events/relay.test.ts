import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { openDatabase } from '@store/shared/database/database';
import { laneCount } from '@store/shared/messaging/outbox/relay';
import { deleteSent } from '@store/shared/messaging/outbox/statements';
import { createKafkaProxy } from '../../../../tests/kit/kafka/kafka-proxy.ts';
import { storedEvent } from '../../../../tests/kit/kafka/order-events.ts';
import { createTopic } from '../../../../tests/kit/kafka/topic.ts';
import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { blockedBy, whileHolding } from '../../../../tests/kit/postgres/transaction.ts';
import { until } from '../../../../tests/kit/until.ts';
import { PrismaClient } from '../../src/generated/client.ts';
import { expectInOrder, fakePublisher, outboxOf, relaysOn } from './_relay.ts';

const database = useDatabase('order', 'each');
const outbox = database.open(outboxOf);
const relays = database.open(relaysOn);

describe('relay', () => {
  it('publishes stored events once each, in order per key, and marks them as sent', async () => {
    const topic = await relays.createTopic(3);
    const ids = await outbox.fill(3_000);
    const publishers = Array.from({ length: laneCount }, () => relays.createPublisher());
    relays.start(publishers, { topic: topic.name });
    await topic.has(ids);
    await outbox.untilSent(3_000);
    expect(topic.messages).toHaveLength(3_000);
    expect(new Set(topic.messages.map(({ partition }) => partition)).size).toBe(3);
    expectInOrder(topic.messages, 3_000);
  });

  it('keeps batches of large events for one partition below the size limit of the broker', async () => {
    const topic = await relays.createTopic(1);
    const ids = await outbox.fill(600, { filler: 8_000 });
    relays.start(relays.createPublisher(), { topic: topic.name });
    await topic.has(ids);
    expectInOrder(topic.messages, 600);
  });

  it('publishes an event that exceeds the batch size alone', async () => {
    const publisher = fakePublisher();
    const ids = [...(await outbox.fill(1, { filler: 900_000 })), ...(await outbox.fill(2))];
    relays.start(publisher);
    await outbox.untilSent(3);
    expect(publisher.batches).toEqual([[ids[0]], ids.slice(1)]);
  });

  it('marks a full batch as sent only after the broker has acknowledged it', async () => {
    const publisher = fakePublisher();
    const [first] = await outbox.fill(2_000);
    // The statement that marks the first batch is sent with the second batch. Here it waits for a row of the first.
    await blockedBy(database.url, 'select from outbox where id = $1 for update', [first], 1, async () => {
      relays.start(publisher);
    });
    expect(publisher.batches.length).toBe(2);
    await outbox.untilSent(2_000);
  });

  it('stops after the batch in flight, once the broker has acknowledged it and it is marked', async () => {
    const publisher = fakePublisher();
    const { promise: acknowledged, resolve: acknowledge } = Promise.withResolvers<void>();
    publisher.accept = () => acknowledged;
    await outbox.fill(2_000);
    const { stop } = relays.start(publisher);
    await until('the batch is in flight', () => publisher.batches.length === 1);
    const stopped = stop();
    acknowledge();
    await stopped;
    expect(publisher.batches).toHaveLength(1);
    expect(await outbox.sent()).toBe(publisher.batches[0]?.length);
    expect(await outbox.sent()).toBeLessThan(2_000);
  });

  it('polls for events, and publishes at once on a notification', async () => {
    const { isActive } = relays.start(fakePublisher());
    await until('the relay is active', isActive);
    await outbox.fill(1);
    await outbox.untilSent(1);
    // Polling once a second, it would take 40 s.
    const deadline = Date.now() + 20_000;
    for (let sent = 2; sent <= 41; sent += 1) {
      await outbox.fill(1);
      await outbox.pool.query("select pg_notify('outbox', '')");
      await outbox.untilSent(sent);
    }
    expect(Date.now()).toBeLessThan(deadline);
  });

  it('does not skip an event that is committed after later events', async () => {
    relays.start(fakePublisher());
    const slow = `insert into outbox (id, kind, key, payload, created_at)
                  values (gen_random_uuid(), 'A', 'a', '{}', now())`;
    await whileHolding(database.url, slow, [], async () => {
      await outbox.fill(1);
      await outbox.untilSent(1);
    });
    await outbox.untilSent(2);
  });

  it('deletes only events that were sent more than seven days ago', async () => {
    await outbox.fill(7_003);
    await outbox.pool.query(`
    update outbox set sent_at = now() - case when n > 2 then interval '8 days' else interval '6 days' end
    from (select id, row_number() over (order by seq) as n from outbox) as numbered
    where numbered.id = outbox.id and n > 1`);
    const opened = database.closeLater(openDatabase(PrismaClient, database.url));
    expect(await deleteSent(opened)).toBe(7_001);
    expect([await outbox.sent(), await outbox.unsent()]).toEqual([1, 1]);
  });

  it.each([3, 2_000])('retries a batch of %i events that the broker refused, oldest event first', async (count) => {
    const publisher = fakePublisher();
    publisher.accept = async () => {
      if (publisher.batches.length < 3) throw new Error('not now');
    };
    const ids = await outbox.fill(count);
    relays.start(publisher);
    await outbox.untilSent(count);
    const [batch = [], ...more] = publisher.batches;
    expect(more.slice(0, 2)).toEqual([batch, batch]);
    expect([...batch, ...more.slice(2).flat()]).toEqual(ids);
  });

  it('reconnects if its database connection is cut, when idle and when publishing', async () => {
    const publisher = fakePublisher();
    const { isActive, lines } = relays.start(publisher);
    await until('the relay is active', isActive);
    expect(await outbox.cutRelays()).toBe(1);
    const whileIdle = await outbox.fill(3);
    await outbox.untilSent(3);

    publisher.accept = async () => {
      publisher.accept = async () => undefined;
      await outbox.cutRelays();
    };
    const whileBusy = await outbox.fill(3);
    await outbox.untilSent(6);
    expect(publisher.batches).toEqual([whileIdle, whileBusy, whileBusy]);
    expect(lines).toContain('The relay was interrupted and is retried');
  });
});

describe('a publisher', () => {
  const event = storedEvent('OrderPaid', {
    orderId: randomUUID(),
    customerId: randomUUID(),
    paymentId: randomUUID(),
    amount: { amount: 4.5, currency: 'USD' },
  });

  it('accepts more events while it connects', async () => {
    const topic = await createTopic(3);
    for (let round = 0; round < 10; round++) {
      const publisher = relays.createPublisher();
      const publishAfter = (delayMs: number) => pause(delayMs).then(() => publisher.publish(topic, [event]));
      await Promise.all(Array.from({ length: 40 }, (_, index) => publishAfter(index)));
    }
  });

  it('asks for acks = all, and numbers its batches, so that the broker detects a repeated batch', async () => {
    const topic = await createTopic(1);
    const proxy = database.closeLater(await createKafkaProxy());
    const publisher = relays.createPublisher(proxy.brokers);
    const sent = [];
    for (let n = 0; n < 2; n += 1) {
      const request = proxy.next('Produce');
      await publisher.publish(topic, [event]);
      sent.push(produced(await request));
    }
    const { producerId } = sent[0] ?? {};
    expect(producerId).toBeGreaterThanOrEqual(0); // -1 without idempotence
    expect(sent).toEqual([0, 1].map((sequence) => ({ acks: -1, producerId, sequence })));
  });
});

/** Reads a request for one partition: Kafka, "Produce API (Key: 0)" in version 3 to 8, and "Record Batch". */
function produced(request: Buffer) {
  const textAt = (at: number) => 2 + Math.max(0, request.readInt16BE(at));
  const clientId = 4 + 2 + 2 + 4;
  const transactionalId = clientId + textAt(clientId);
  const acks = transactionalId + textAt(transactionalId);
  const topic = acks + 2 + 4 + 4;
  const batch = topic + textAt(topic) + 4 + 4 + 4;
  const producerId = batch + 8 + 4 + 4 + 1 + 4 + 2 + 4 + 8 + 8;
  return {
    acks: request.readInt16BE(acks),
    producerId: Number(request.readBigInt64BE(producerId)),
    sequence: request.readInt32BE(producerId + 8 + 2),
  };
}
