import { brokers } from '../../../../tests/kit/kafka/topic.ts';
import { createTcpProxy } from '../../../../tests/kit/tcp-proxy.ts';
import { until } from '../../../../tests/kit/until.ts';
import { byKey, isAscending } from './_outbox.ts';
import { createFixture, type Fixture, fakePublisher } from './_relay.ts';

let fixture: Fixture;

beforeEach(async () => {
  fixture = await createFixture();
});
afterEach(() => fixture.close());

test('relay retries a batch that the broker refused, oldest event first', async () => {
  const publisher = fakePublisher();
  publisher.accept = async () => {
    if (publisher.batches.length < 3) throw new Error('not now');
  };
  const ids = await fixture.outbox.fill(3);
  fixture.startRelay(publisher);
  await until('all events are marked as sent', async () => (await fixture.outbox.sent()) === 3);
  expect(publisher.batches).toEqual([ids, ids, ids]);
});

test('relay reconnects when its database connection is cut, idle or while publishing', async () => {
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

test('relay waits for an unavailable broker and then publishes every event in order', async () => {
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
