import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { laneCount } from '@store/shared/messaging/outbox/relay';
import { deferred } from '../../../../tests/kit/deferred.ts';
import { storedEvent } from '../../../../tests/kit/kafka/order-events.ts';
import { brokers, createTopic } from '../../../../tests/kit/kafka/topic.ts';
import { createTcpProxy } from '../../../../tests/kit/tcp-proxy.ts';
import { until } from '../../../../tests/kit/until.ts';
import { whileHolding } from '../orders/_open-transaction.ts';
import { byKey, fakePublisher, isAscending, useRelays } from './_relay.ts';

const event = storedEvent('OrderPaid', {
  orderId: randomUUID(),
  customerId: randomUUID(),
  paymentId: randomUUID(),
  amount: { amount: 4.5, currency: 'USD' },
});

const fixture = useRelays();

describe('relay', () => {
  it('publishes stored events once each, in order per key, and marks them as sent', async () => {
    const topic = await fixture.createTopic(3);
    const ids = await fixture.outbox.fill(3_000);
    const publishers = Array.from({ length: laneCount }, () => fixture.createPublisher());
    fixture.startRelay(publishers, { topic: topic.name });
    await topic.has(ids);
    await until('all events are marked as sent', async () => (await fixture.outbox.unsent()) === 0);
    expect(topic.messages).toHaveLength(3_000);
    expect(new Set(topic.messages.map(({ partition }) => partition)).size).toBe(3);
    expect(byKey(topic.messages)).toHaveLength(50);
    expect(byKey(topic.messages).every(isAscending)).toBe(true);
  });

  it('keeps batches of large events for one partition below the size limit of the broker', async () => {
    const topic = await fixture.createTopic(1);
    const ids = await fixture.outbox.fill(600, { filler: 8_000 });
    fixture.startRelay(fixture.createPublisher(), { topic: topic.name });
    await topic.has(ids);
    expect(byKey(topic.messages).every(isAscending)).toBe(true);
  });

  it('publishes an event that exceeds the batch size alone', async () => {
    const publisher = fakePublisher();
    const ids = [...(await fixture.outbox.fill(1, { filler: 900_000 })), ...(await fixture.outbox.fill(2))];
    fixture.startRelay(publisher);
    await until('all events are marked as sent', async () => (await fixture.outbox.sent()) === 3);
    expect(publisher.batches).toEqual([[ids[0]], ids.slice(1)]);
  });

  it('marks events as sent only after the broker has acknowledged them', async () => {
    const publisher = fakePublisher();
    const { promise: acknowledged, resolve: acknowledge } = deferred();
    publisher.accept = () => acknowledged;
    await fixture.outbox.fill(3);
    fixture.startRelay(publisher);
    await until('the batch is in flight', () => publisher.batches.length === 1);
    expect(await fixture.outbox.sent()).toBe(0);
    acknowledge();
    await until('all events are marked as sent', async () => (await fixture.outbox.sent()) === 3);
  });

  it('stops after the batch in flight and marks it as sent', async () => {
    const publisher = fakePublisher();
    const { promise: acknowledged, resolve: acknowledge } = deferred();
    publisher.accept = () => acknowledged;
    await fixture.outbox.fill(2_000);
    const { stop } = fixture.startRelay(publisher);
    await until('the batch is in flight', () => publisher.batches.length === 1);
    const stopped = stop();
    acknowledge();
    await stopped;
    expect(publisher.batches).toHaveLength(1);
    expect(await fixture.outbox.sent()).toBe(publisher.batches[0]?.length);
    expect(await fixture.outbox.sent()).toBeLessThan(2_000);
  });

  it('polls for events without a notification', async () => {
    const publisher = fakePublisher();
    const { isActive } = fixture.startRelay(publisher);
    await until('the relay is active', isActive);
    const [id] = await fixture.outbox.fill(1);
    await until('the event is published', () => publisher.batches.flat().includes(id ?? ''));
  });

  it('publishes at once on a notification', async () => {
    const publisher = fakePublisher();
    const { isActive } = fixture.startRelay(publisher);
    await until('the relay is active', isActive);
    // Polling once a second, it would take 40 s.
    const deadline = Date.now() + 20_000;
    for (let sent = 1; sent <= 40; sent += 1) {
      await fixture.outbox.fill(1);
      await fixture.outbox.pool.query("select pg_notify('outbox', '')");
      await until('the event is marked as sent', async () => (await fixture.outbox.sent()) === sent);
    }
    expect(Date.now()).toBeLessThan(deadline);
  });

  it('does not skip an event that is committed after later ones', async () => {
    const publisher = fakePublisher();
    fixture.startRelay(publisher);
    const slow = `insert into outbox (id, kind, key, payload, created_at)
                values (gen_random_uuid(), 'A', 'a', '{}', now()) returning id`;
    const [earlier] = await whileHolding(fixture.databaseUrl, slow, [], async (rows) => {
      const [later] = await fixture.outbox.fill(1);
      await until('the later event is published', () => publisher.batches.flat().includes(later ?? ''));
      return rows;
    });
    await until('the earlier event is published', () => publisher.batches.flat().includes(earlier?.id ?? ''));
  });

  it('deletes only events that were sent more than seven days ago', async () => {
    await fixture.outbox.fill(7_003);
    await fixture.outbox.pool.query(`
    update outbox set sent_at = now() - case when n > 2 then interval '8 days' else interval '6 days' end
    from (select id, row_number() over (order by seq) as n from outbox) as numbered
    where numbered.id = outbox.id and n > 1`);
    fixture.startRelay(fakePublisher());
    await until('the old events are deleted', async () => (await fixture.outbox.sent()) === 2);
    expect(await fixture.outbox.unsent()).toBe(0);
  });

  it('retries a batch that the broker refused, oldest event first', async () => {
    const publisher = fakePublisher();
    publisher.accept = async () => {
      if (publisher.batches.length < 3) throw new Error('not now');
    };
    const ids = await fixture.outbox.fill(3);
    fixture.startRelay(publisher);
    await until('all events are marked as sent', async () => (await fixture.outbox.sent()) === 3);
    expect(publisher.batches).toEqual([ids, ids, ids]);
  });

  it('reconnects when its database connection is cut, idle or while publishing', async () => {
    const publisher = fakePublisher();
    const { isActive, lines } = fixture.startRelay(publisher);
    await until('the relay is active', isActive);
    expect(await fixture.outbox.cutRelays()).toBe(1);
    const whileIdle = await fixture.outbox.fill(3);
    await until('the relay publishes again', async () => (await fixture.outbox.sent()) === 3);

    publisher.accept = async () => {
      publisher.accept = async () => undefined;
      await fixture.outbox.cutRelays();
    };
    const whileBusy = await fixture.outbox.fill(3);
    await until('the relay publishes again', async () => (await fixture.outbox.sent()) === 6);
    expect(publisher.batches).toEqual([whileIdle, whileBusy, whileBusy]);
    expect(lines).toContain('The relay was interrupted and is retried');
  });

  it('waits for an unavailable broker and then publishes every event in order', async () => {
    const topic = await fixture.createTopic(3);
    const proxy = await createTcpProxy(`kafka://${brokers[0]}`);
    fixture.closeLast(proxy.close);
    await proxy.set('refuse');
    const ids = await fixture.outbox.fill(700);
    const { lines } = fixture.startRelay(fixture.createPublisher([new URL(proxy.url).host]), { topic: topic.name });
    await until('the relay has failed to publish', () => lines.includes('The relay was interrupted and is retried'));
    expect(await fixture.outbox.sent()).toBe(0);
    expect(topic.messages).toEqual([]);

    await proxy.set('pass');
    await topic.has(ids);
    await until('all events are marked as sent', async () => (await fixture.outbox.unsent()) === 0);
    expect(byKey(topic.messages).every(isAscending)).toBe(true);
  });
});

describe('a publisher', () => {
  it('takes further events while it connects', async () => {
    const topic = await createTopic(3);
    for (let round = 0; round < 10; round++) {
      const publisher = fixture.createPublisher();
      const publishAfter = (delayMs: number) => pause(delayMs).then(() => publisher.publish(topic, [event]));
      await Promise.all(Array.from({ length: 40 }, (_, index) => publishAfter(index)));
    }
  });

  it('that is idle does not keep setting timers', async () => {
    const publisher = fixture.createPublisher();
    await publisher.publish(await createTopic(1), [event]);
    const { setTimeout } = globalThis;
    let timers = 0;
    globalThis.setTimeout = ((...args: Parameters<typeof setTimeout>) => {
      timers++;
      return setTimeout(...args);
    }) as typeof setTimeout;
    await pause(500);
    globalThis.setTimeout = setTimeout;
    expect(timers).toBeLessThan(10);
  });
});
