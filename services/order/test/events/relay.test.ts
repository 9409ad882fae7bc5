import { randomUUID } from 'node:crypto';
import { connect, createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { createPublisher, type Publisher } from '@store/shared/messaging/kafka';
import { startRelay } from '@store/shared/messaging/outbox/relay';
import { createLog } from '@store/shared/observability/log';
import getPort from 'get-port';
import { createTestDatabase, type TestDatabase } from '../../../../tests/kit/database.ts';
import { storedEvent } from '../../../../tests/kit/order-events.ts';
import { brokers, createTopic, readTopic } from '../../../../tests/kit/topic.ts';
import { until } from '../../../../tests/kit/until.ts';
import { whileHolding } from '../orders/_open-transaction.ts';
import { byKey, isAscending, outboxOf } from './_outbox.ts';

let database: TestDatabase;
let outbox: ReturnType<typeof outboxOf>;
/** What a test opened, closed behind it, last first. */
let closing: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  database = await createTestDatabase('order');
  outbox = outboxOf(database.url);
  closing = [database.drop, outbox.close];
});

afterEach(async () => {
  for (const close of closing.reverse()) await close();
});

/** A log that a test can read. */
function logLines() {
  const lines: string[] = [];
  return { lines, log: createLog('relay', 'info', { write: (line: string) => void lines.push(JSON.parse(line).msg) }) };
}

function relay(publisher: Publisher, topic = 'any') {
  const { lines, log } = logLines();
  const started = startRelay({ databaseUrl: database.url, topic, publisher, log });
  closing.push(started.stop);
  return { ...started, lines, isActive: () => lines.includes('The relay is active') };
}

function realPublisher(to = brokers): Publisher {
  const publisher = createPublisher({ brokers: to, clientId: 'order', log: createLog('publisher', 'silent') });
  closing.push(publisher.close);
  return publisher;
}

/** A broker as a test wants it: `take` may hold or refuse a batch. */
function fakePublisher() {
  const fake = {
    batches: [] as string[][],
    take: async (): Promise<void> => undefined,
    async publish(_topic: string, events: { id: string }[]) {
      fake.batches.push(events.map(({ id }) => id));
      await fake.take();
    },
    close: async () => undefined,
  };
  return fake;
}

async function topicOf(partitions: number) {
  const name = await createTopic(partitions);
  const topic = await readTopic(name);
  closing.push(topic.close);
  return { name, ...topic };
}

it('publishes what lies there, each event once and those of a key in order, and marks it sent', async () => {
  const topic = await topicOf(3);
  const ids = await outbox.fill(3_000);
  relay(realPublisher(), topic.name);
  await topic.has(ids);
  await until('all are marked', async () => (await outbox.unsent()) === 0);
  expect(topic.messages).toHaveLength(3_000);
  expect(new Set(topic.messages.map(({ partition }) => partition)).size).toBe(3);
  expect(byKey(topic.messages)).toHaveLength(50);
  expect(byKey(topic.messages).every(isAscending)).toBe(true);
});

it('a publisher with nothing to publish lets the processor rest', async () => {
  const publisher = realPublisher();
  const event = storedEvent('OrderPaid', {
    ...{ orderId: randomUUID(), customerId: randomUUID(), paymentId: randomUUID() },
    amount: { amount: 4.5, currency: 'USD' },
  });
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

it('large events that all go to one partition do not exceed what the broker takes at once', async () => {
  const topic = await topicOf(1);
  const ids = await outbox.fill(600, { filler: 8_000 });
  relay(realPublisher(), topic.name);
  await topic.has(ids);
  expect(byKey(topic.messages).every(isAscending)).toBe(true);
});

it('an event larger than a whole batch goes alone', async () => {
  const publisher = fakePublisher();
  const ids = [...(await outbox.fill(1, { filler: 700_000 })), ...(await outbox.fill(2))];
  relay(publisher);
  await until('all are marked', async () => (await outbox.sent()) === 3);
  expect(publisher.batches).toEqual([[ids[0]], ids.slice(1)]);
});

it('marks nothing before the broker has it', async () => {
  const publisher = fakePublisher();
  let acknowledge = () => {};
  publisher.take = () =>
    new Promise((resolve) => {
      acknowledge = resolve;
    });
  await outbox.fill(3);
  relay(publisher);
  await until('the batch is under way', () => publisher.batches.length === 1);
  expect(await outbox.sent()).toBe(0);
  acknowledge();
  await until('all are marked', async () => (await outbox.sent()) === 3);
});

it('publishes again what the broker refused, from the oldest on', async () => {
  const publisher = fakePublisher();
  publisher.take = async () => {
    if (publisher.batches.length < 3) throw new Error('not now');
  };
  const ids = await outbox.fill(3);
  relay(publisher);
  await until('all are marked', async () => (await outbox.sent()) === 3);
  expect(publisher.batches).toEqual([ids, ids, ids]);
});

it('stops after the batch under way, which is marked', async () => {
  const publisher = fakePublisher();
  let acknowledge = () => {};
  publisher.take = () =>
    new Promise((resolve) => {
      acknowledge = resolve;
    });
  await outbox.fill(2_000);
  const { stop } = relay(publisher);
  await until('the batch is under way', () => publisher.batches.length === 1);
  const stopped = stop();
  acknowledge();
  await stopped;
  expect(publisher.batches).toHaveLength(1);
  expect(await outbox.sent()).toBe(publisher.batches[0]?.length);
  expect(await outbox.sent()).toBeLessThan(2_000);
});

it('finds by itself what nobody announced', async () => {
  const publisher = fakePublisher();
  const { isActive } = relay(publisher);
  await until('the relay is active', isActive);
  const [id] = await outbox.fill(1);
  await until('the event is out', () => publisher.batches.flat().includes(id ?? ''));
});

it('wakes when an event is announced', async () => {
  const publisher = fakePublisher();
  const { isActive } = relay(publisher);
  await until('the relay is active', isActive);
  // By its own look at the outbox, once a second, it would need 40 s.
  const deadline = Date.now() + 20_000;
  for (let sent = 1; sent <= 40; sent += 1) {
    await outbox.fill(1);
    await outbox.pool.query("select pg_notify('outbox', '')");
    await until('the event is marked', async () => (await outbox.sent()) === sent);
  }
  expect(Date.now()).toBeLessThan(deadline);
});

it('an event that is committed late is not stepped over', async () => {
  const publisher = fakePublisher();
  relay(publisher);
  const slow = `insert into outbox (id, kind, key, payload, created_at)
                values (gen_random_uuid(), 'A', 'a', '{}', now()) returning id`;
  const [earlier] = await whileHolding(database.url, slow, [], async (rows) => {
    const [later] = await outbox.fill(1);
    await until('the later event is out', () => publisher.batches.flat().includes(later ?? ''));
    return rows;
  });
  await until('the earlier one too', () => publisher.batches.flat().includes(earlier?.id ?? ''));
});

it('of two relays one is active, and the other takes over when it stops', async () => {
  const publishers = [fakePublisher(), fakePublisher()] as const;
  const first = relay(publishers[0]);
  await until('the first is active', first.isActive);
  const second = relay(publishers[1]);
  await outbox.fill(1_200);
  await until('all are marked', async () => (await outbox.sent()) === 1_200);
  expect(second.isActive()).toBe(false);
  expect(publishers[1].batches).toEqual([]);
  await first.stop();
  const [last] = await outbox.fill(1);
  await until('the second publishes', () => publishers[1].batches.flat().includes(last ?? ''));
});

it('goes on when its connection is cut, while it waits and while it publishes', async () => {
  const publisher = fakePublisher();
  const { isActive, lines } = relay(publisher);
  await until('the relay is active', isActive);
  expect(await outbox.cutRelays()).toBe(1);
  const whileIdle = await outbox.fill(3);
  await until('it publishes again', async () => (await outbox.sent()) === 3);

  publisher.take = async () => {
    publisher.take = async () => undefined;
    await outbox.cutRelays();
  };
  const whileBusy = await outbox.fill(3);
  await until('it publishes again', async () => (await outbox.sent()) === 6);
  expect(publisher.batches).toEqual([whileIdle, whileBusy, whileBusy]);
  expect(lines).toContain('The relay was interrupted and is retried');
});

it('waits for a broker that is away, and loses nothing', async () => {
  const topic = await topicOf(3);
  const port = await getPort();
  const ids = await outbox.fill(700);
  const { lines } = relay(realPublisher([`127.0.0.1:${port}`]), topic.name);
  await until('it has tried in vain', () => lines.includes('The relay was interrupted and is retried'));
  expect(await outbox.sent()).toBe(0);
  expect(topic.messages).toEqual([]);

  const [host, brokerPort] = String(brokers[0]).split(':');
  const server = createServer((client) => {
    const upstream = connect(Number(brokerPort), host);
    client.on('error', () => upstream.destroy()).pipe(upstream);
    upstream.on('error', () => client.destroy()).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  closing.unshift(() => new Promise((resolve) => server.close(resolve)));
  await topic.has(ids);
  await until('all are marked', async () => (await outbox.unsent()) === 0);
  expect(byKey(topic.messages).every(isAscending)).toBe(true);
});

it('forgets what was sent more than seven days ago, and nothing else', async () => {
  await outbox.fill(7_003);
  await outbox.pool.query(`
    update outbox set sent_at = now() - case when n > 2 then interval '8 days' else interval '6 days' end
    from (select id, row_number() over (order by seq) as n from outbox) as numbered
    where numbered.id = outbox.id and n > 1`);
  relay(fakePublisher());
  await until('the old ones are gone', async () => (await outbox.sent()) === 2);
  expect(await outbox.unsent()).toBe(0);
});
