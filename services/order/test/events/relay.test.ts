import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { openDatabase } from '@store/shared/database/database';
import { laneCount } from '@store/shared/messaging/outbox/relay';
import { deleteSent } from '@store/shared/messaging/outbox/statements';
import { storedEvent } from '../../../../tests/kit/kafka/order-events.ts';
import { createTopic } from '../../../../tests/kit/kafka/topic.ts';
import { until } from '../../../../tests/kit/until.ts';
import type { DB } from '../../src/generated/tables.ts';
import { whileHolding } from '../orders/_open-transaction.ts';
import { expectInOrder, fakePublisher, useRelays } from './_relay.ts';

const fixture = useRelays();
const untilSent = (count: number) =>
  until(`${count} events are marked as sent`, async () => (await fixture.outbox.sent()) === count);

describe('relay', () => {
  it('publishes stored events once each, in order per key, and marks them as sent', async () => {
    const topic = await fixture.createTopic(3);
    const ids = await fixture.outbox.fill(3_000);
    const publishers = Array.from({ length: laneCount }, fixture.createPublisher);
    fixture.startRelay(publishers, { topic: topic.name });
    await topic.has(ids);
    await untilSent(3_000);
    expect(topic.messages).toHaveLength(3_000);
    expect(new Set(topic.messages.map(({ partition }) => partition)).size).toBe(3);
    expectInOrder(topic.messages, 3_000);
  });

  it('keeps batches of large events for one partition below the size limit of the broker', async () => {
    const topic = await fixture.createTopic(1);
    const ids = await fixture.outbox.fill(600, { filler: 8_000 });
    fixture.startRelay(fixture.createPublisher(), { topic: topic.name });
    await topic.has(ids);
    expectInOrder(topic.messages, 600);
  });

  it('publishes an event that exceeds the batch size alone', async () => {
    const publisher = fakePublisher();
    const ids = [...(await fixture.outbox.fill(1, { filler: 900_000 })), ...(await fixture.outbox.fill(2))];
    fixture.startRelay(publisher);
    await untilSent(3);
    expect(publisher.batches).toEqual([[ids[0]], ids.slice(1)]);
  });

  // And stops after the batch in flight.
  it('marks events as sent only after the broker has acknowledged them', async () => {
    const publisher = fakePublisher();
    const { promise: acknowledged, resolve: acknowledge } = Promise.withResolvers<void>();
    publisher.accept = () => acknowledged;
    await fixture.outbox.fill(2_000);
    const { stop } = fixture.startRelay(publisher);
    await until('the batch is in flight', () => publisher.batches.length === 1);
    expect(await fixture.outbox.sent()).toBe(0);
    const stopped = stop();
    acknowledge();
    await stopped;
    expect(publisher.batches).toHaveLength(1);
    expect(await fixture.outbox.sent()).toBe(publisher.batches[0]?.length);
    expect(await fixture.outbox.sent()).toBeLessThan(2_000);
  });

  it('polls for events, and publishes at once on a notification', async () => {
    const { isActive } = fixture.startRelay(fakePublisher());
    await until('the relay is active', isActive);
    await fixture.outbox.fill(1);
    await untilSent(1);
    // Polling once a second, it would take 40 s.
    const deadline = Date.now() + 20_000;
    for (let sent = 2; sent <= 41; sent += 1) {
      await fixture.outbox.fill(1);
      await fixture.outbox.pool.query("select pg_notify('outbox', '')");
      await untilSent(sent);
    }
    expect(Date.now()).toBeLessThan(deadline);
  });

  it('does not skip an event that is committed after later ones', async () => {
    fixture.startRelay(fakePublisher());
    const slow = `insert into outbox (id, kind, key, payload, created_at)
                  values (gen_random_uuid(), 'A', 'a', '{}', now())`;
    await whileHolding(fixture.databaseUrl, slow, [], async () => {
      await fixture.outbox.fill(1);
      await untilSent(1);
    });
    await untilSent(2);
  });

  it('deletes only events that were sent more than seven days ago', async () => {
    await fixture.outbox.fill(7_003);
    await fixture.outbox.pool.query(`
    update outbox set sent_at = now() - case when n > 2 then interval '8 days' else interval '6 days' end
    from (select id, row_number() over (order by seq) as n from outbox) as numbered
    where numbered.id = outbox.id and n > 1`);
    const { kysely, close } = openDatabase<DB>(fixture.databaseUrl);
    expect(await deleteSent(kysely)).toBe(7_001);
    await close();
    expect([await fixture.outbox.sent(), await fixture.outbox.unsent()]).toEqual([1, 1]);
  });

  it('retries a batch that the broker refused, oldest event first', async () => {
    const publisher = fakePublisher();
    publisher.accept = async () => {
      if (publisher.batches.length < 3) throw new Error('not now');
    };
    const ids = await fixture.outbox.fill(3);
    fixture.startRelay(publisher);
    await untilSent(3);
    expect(publisher.batches).toEqual([ids, ids, ids]);
  });

  it('reconnects when its database connection is cut, idle or while publishing', async () => {
    const publisher = fakePublisher();
    const { isActive, lines } = fixture.startRelay(publisher);
    await until('the relay is active', isActive);
    expect(await fixture.outbox.cutRelays()).toBe(1);
    const whileIdle = await fixture.outbox.fill(3);
    await untilSent(3);

    publisher.accept = async () => {
      publisher.accept = async () => undefined;
      await fixture.outbox.cutRelays();
    };
    const whileBusy = await fixture.outbox.fill(3);
    await untilSent(6);
    expect(publisher.batches).toEqual([whileIdle, whileBusy, whileBusy]);
    expect(lines).toContain('The relay was interrupted and is retried');
  });
});

it('a publisher takes further events while it connects', async () => {
  const about = { orderId: randomUUID(), customerId: randomUUID(), paymentId: randomUUID() };
  const event = storedEvent('OrderPaid', { ...about, amount: { amount: 4.5, currency: 'USD' } });
  const topic = await createTopic(3);
  for (let round = 0; round < 10; round++) {
    const publisher = fixture.createPublisher();
    const publishAfter = (delayMs: number) => pause(delayMs).then(() => publisher.publish(topic, [event]));
    await Promise.all(Array.from({ length: 40 }, (_, index) => publishAfter(index)));
  }
});
