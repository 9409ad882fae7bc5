import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { openDatabase } from '@store/shared/database';
import { unavailable } from '@store/shared/errors';
import { PoisonError } from '@store/shared/events';
import pg from 'pg';
import { createGate } from '../../../tests/kit/gate.ts';
import { readTopic } from '../../../tests/kit/topic.ts';
import { until } from '../../../tests/kit/until.ts';
import { PrismaClient } from '../src/generated/client.ts';
import { anEvent, createStage, kafka, rawOf, type Stage } from './_stage.ts';

let stage: Stage;

afterEach(() => stage.close());

/** A promise that a test resolves. */
function held() {
  let release = () => {};
  const until = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { until, release };
}

const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index));

describe('offsets', () => {
  it('are committed after the effect, not before', async () => {
    stage = await createStage();
    const gate = held();
    const event = anEvent();
    await stage.publish(event);
    let begun = false;
    stage.start(async () => {
      begun = true;
      await gate.until;
    });
    await until('the handler has begun', () => begun);
    await wait(500); // longer than the client holds a batch
    expect({ committed: await stage.committed(), effects: await stage.effects() }).toEqual({
      committed: 0,
      effects: [],
    });
    gate.release();
    await until('the offset is committed', async () => (await stage.committed()) === 1);
    expect(await stage.effects()).toEqual([event.id]);
  });

  it('set back bring events again and no effect', async () => {
    stage = await createStage(3);
    const events = times(50, () => anEvent());
    await stage.publish(...events);
    const first = stage.start();
    await until('all are committed', async () => (await stage.committed()) === 50);
    await first.stop();
    await stage.reset();
    const [more] = [anEvent()];
    await stage.publish(more);
    const second = stage.start();
    await until('all are committed again', async () => (await stage.committed()) === 51);
    await second.stop();
    expect((await stage.effects()).sort()).toEqual([...events, more].map(({ id }) => id).sort());
  });

  it('of an event that was published twice move on, with one effect, in one chunk or in two', async () => {
    stage = await createStage();
    const event = anEvent();
    await stage.publish(event, event);
    stage.start();
    await until('both are committed', async () => (await stage.committed()) === 2);
    await stage.publish(event);
    await until('the third is committed', async () => (await stage.committed()) === 3);
    expect(await stage.effects()).toEqual([event.id]);
  });
});

describe('poison', () => {
  const good = () => anEvent();
  const whole = rawOf(good());
  const payload = JSON.parse(String(whole.value));

  it.each([
    ['no JSON', { value: '{"orderId":' }, /not JSON/],
    ['no value', { value: null }, /not JSON/],
    ['no UTF-8', { value: Buffer.from([0x7b, 0xff, 0xfe, 0x7d]) }, /not JSON/],
    ['JSON that is no object', { value: '[]' }, /payload of OrderCancelled/],
    ['a missing field', { value: JSON.stringify({ ...payload, reason: undefined }) }, /reason/],
    ['a wrong type', { value: JSON.stringify({ ...payload, orderId: 7 }) }, /orderId/],
    ['no kind', { headers: { ce_id: randomUUID() } }, /no kind/],
    ['no headers', { headers: undefined }, /no kind/],
    ['no id', { headers: { ce_type: 'OrderCancelled' } }, /no event id/],
    ['an id that is no UUID', { headers: { ce_type: 'OrderCancelled', ce_id: '1' } }, /no event id/],
  ])('%s goes to the dead letters at once', async (_, change, reason) => {
    stage = await createStage();
    const behind = good();
    const letters = await readTopic('order-events-dlq');
    stage.onEnd(letters.close);
    await stage.send({ ...whole, ...change }, rawOf(behind));
    stage.start(undefined, { retry: { attempts: 3, firstDelayMs: 60_000, multiplier: 2 } });
    await stage.has(behind);
    const mine = () => letters.messages.filter(({ headers }) => headers.dlq_group === stage.group);
    await until('the letter is there', () => mine().length === 1);
    expect(mine()[0]?.headers).toMatchObject({
      dlq_group: stage.group,
      dlq_attempts: '1',
      dlq_error: expect.stringMatching(reason),
      dlq_topic: stage.topic,
      dlq_partition: '0',
      dlq_offset: '0',
      dlq_time: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect(mine()[0]?.key).toBe(whole.key);
    await until('both are committed', async () => (await stage.committed()) === 2);
    expect(await stage.effects()).toEqual([behind.id]);
  });

  it('keeps its bytes, and the headers that it had', async () => {
    stage = await createStage();
    const value = Buffer.from([0, 1, 0xff, 0xfe]);
    await stage.send({ key: 'k', value, headers: { ce_type: 'OrderCancelled', other: Buffer.from([0xff]) } });
    stage.start();
    await until('the letter is there', async () => (await stage.committed()) === 1);
    const consumer = kafka.consumer({ groupId: randomUUID() });
    stage.onEnd(() => consumer.disconnect());
    await consumer.subscribe({ topic: 'order-events-dlq', fromBeginning: true });
    const found: { value: Buffer | null; other: unknown }[] = [];
    await consumer.run({
      eachMessage: async ({ message }) => {
        if (String(message.headers?.dlq_group) === stage.group)
          found.push({ value: message.value, other: message.headers?.other });
      },
    });
    await until('it is read', () => found.length === 1);
    expect(found).toEqual([{ value, other: Buffer.from([0xff]) }]);
  });

  it('that is as large as a message may be is buried without its value, and holds up nobody', async () => {
    stage = await createStage();
    const behind = good();
    await stage.send({ ...whole, value: 'x'.repeat(1_048_200) });
    await stage.publish(behind);
    stage.start();
    await stage.has(behind);
    expect(await stage.letters()).toHaveLength(1);
  });

  it('may also be said by a handler', async () => {
    stage = await createStage();
    await stage.publish(anEvent());
    let calls = 0;
    stage.start(async () => {
      calls += 1;
      throw new PoisonError('There is no such product.');
    });
    await until('it is buried', async () => (await stage.letters()).length === 1);
    expect(await stage.letters()).toMatchObject([{ attempts: 1, error: 'There is no such product.' }]);
    expect(calls).toBe(1);
    expect(await stage.effects()).toEqual([]);
  });
});

describe('kinds and fields', () => {
  it('unknown kinds are skipped unread, unknown fields do not matter', async () => {
    stage = await createStage();
    const known = anEvent();
    const richer = { ...known, payload: JSON.stringify({ ...JSON.parse(known.payload), colour: 'red', more: [{}] }) };
    await stage.send(
      { key: 'x', value: 'not even JSON', headers: { ce_type: 'OrderCreatedV2' } },
      { key: 'x', value: null, headers: { ce_type: '__proto__', ce_id: randomUUID() } },
      { ...rawOf(anEvent()), headers: { ce_id: randomUUID(), ce_type: 'OrderShipped' } },
      rawOf(richer),
    );
    stage.start();
    await until('all are committed', async () => (await stage.committed()) === 4);
    expect(await stage.effects()).toEqual([known.id]);
    expect(await stage.letters()).toEqual([]);
  });
});

describe('retries', () => {
  it('come after a delay and after its multiple; then it succeeds, with one effect', async () => {
    stage = await createStage();
    const event = anEvent();
    await stage.publish(event);
    const attempts: number[] = [];
    stage.start(
      async () => {
        attempts.push(performance.now());
        if (attempts.length < 3) throw new Error('not yet');
      },
      { retry: { attempts: 3, firstDelayMs: 300, multiplier: 2 } },
    );
    await stage.has(event);
    const [first = 0, second = 0, third = 0] = attempts;
    expect(attempts).toHaveLength(3);
    expect(second - first).toBeGreaterThanOrEqual(295);
    expect(third - second).toBeGreaterThanOrEqual(595);
    expect(third - first).toBeLessThan(3_000);
    expect(await stage.effects()).toEqual([event.id]);
    expect(await stage.letters()).toEqual([]);
  });

  it('end in the dead letters; what is behind is held up no longer than the retries take', async () => {
    stage = await createStage();
    const [bad, ...good] = times(20, () => anEvent());
    await stage.publish(...(bad ? [bad] : []), ...good);
    const began = performance.now();
    let calls = 0;
    stage.start(async (id) => {
      if (id !== bad?.id) return;
      calls += 1;
      throw new Error('always');
    });
    await stage.has(...good);
    expect(performance.now() - began).toBeLessThan(8_000);
    expect(await stage.letters()).toMatchObject([{ attempts: 3, error: 'always', message: { key: bad?.key } }]);
    expect(calls).toBe(4); // once together with the others, then three times alone
    expect(await stage.effects()).toEqual(good.map(({ id }) => id));
  });

  it('a chunk that fails is handled one by one, in order, each once', async () => {
    stage = await createStage();
    const events = times(30, () => anEvent());
    const bad = new Set([events[3]?.id, events[17]?.id]);
    await stage.publish(...events);
    stage.start(async (id) => {
      if (bad.has(id)) throw new Error('always');
    });
    await until('all are committed', async () => (await stage.committed()) === 30);
    expect(await stage.effects()).toEqual(events.map(({ id }) => id).filter((id) => !bad.has(id)));
    expect(new Set((await stage.letters()).map(({ message }) => message.headers.ce_id))).toEqual(bad);
  });
});

describe('what a handler needs is away', () => {
  it('as its database: it waits, buries nothing, and goes on by itself', async () => {
    stage = await createStage();
    const gate = await createGate(stage.database.url);
    stage.onEnd(gate.close);
    const { adapter, close } = openDatabase(gate.url);
    const prisma = new PrismaClient({ adapter });
    stage.onEnd(close);
    const events = times(10, () => anEvent());
    stage.start(undefined, stage.effect(prisma));
    await stage.publish(...events.slice(0, 5));
    await stage.has(...events.slice(0, 5));
    await gate.close();
    await stage.publish(...events.slice(5));
    await wait(3_000);
    expect(await stage.letters()).toEqual([]);
    expect(await stage.committed()).toBe(5);
    await gate.open();
    await stage.has(...events);
    expect(await stage.effects()).toEqual(events.map(({ id }) => id));
    expect(await stage.letters()).toEqual([]);
  });

  it.each([
    ['lets nobody in', 'with allow_connections false', 'with allow_connections true'],
    ['is read-only', 'set default_transaction_read_only = on', 'reset default_transaction_read_only'],
  ])('as a database that %s', async (_, wrong, right) => {
    stage = await createStage();
    const name = new URL(stage.database.url).pathname.slice(1);
    const admin = new pg.Client({ connectionString: process.env.TEST_DATABASE_URL });
    await admin.connect();
    stage.onEnd(() => admin.end());
    const alter = async (how: string) => {
      await admin.query(`alter database ${name} ${how}`);
      await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
    };
    const events = times(3, () => anEvent());
    stage.start();
    await stage.publish(...events.slice(0, 1));
    await stage.has(...events.slice(0, 1));
    await alter(wrong);
    await stage.publish(...events.slice(1));
    await wait(2_000);
    expect(await stage.letters()).toEqual([]);
    await alter(right);
    await stage.has(...events);
    expect(await stage.letters()).toEqual([]);
  });

  it('as another service, more often than there are attempts', async () => {
    stage = await createStage();
    const event = anEvent();
    await stage.publish(event);
    let asked = 0;
    stage.start(undefined, {
      async prepare() {
        asked += 1;
        if (asked < 6) throw unavailable('The product service');
      },
    });
    await stage.has(event);
    expect(asked).toBe(6);
    expect(await stage.letters()).toEqual([]);
  });
});

describe('partitions', () => {
  it('do not wait for one another', async () => {
    stage = await createStage(6);
    const slow = anEvent();
    await stage.publish(slow);
    const gate = held();
    let begun = false;
    stage.start(async (id) => {
      if (id !== slow.id) return;
      begun = true;
      await gate.until;
    });
    await until('the slow one has begun', () => begun);
    await wait(300); // now its batch is the only one that is handled
    const events = times(60, () => anEvent());
    await stage.publish(...events);
    // All but those behind the slow one, which are a sixth of them or so.
    await until('the others are done', async () => (await stage.effects()).length > 25, 10_000);
    expect(await stage.effects()).not.toContain(slow.id);
    gate.release();
    await stage.has(slow, ...events);
  });

  it('keep the order of a key, also where a member joins and another leaves meanwhile', async () => {
    stage = await createStage(6);
    const orders = times(20, () => randomUUID());
    const events = times(600, (index) => anEvent(orders[index % orders.length]));
    const slowly = () => wait(5);
    const first = stage.start(slowly, { name: 'first', chunkSize: 5 });
    // So that there is always something under way when partitions change hands.
    for (let batch = 0; batch < 60; batch += 1) {
      await stage.publish(...events.slice(10 * batch, 10 * batch + 10));
      if (batch === 10) stage.start(slowly, { name: 'second', chunkSize: 5 });
      if (batch === 40) await first.stop();
      await wait(100);
    }
    await until('all are committed', async () => (await stage.committed()) === 600, 60_000);
    const rows = await stage.prisma.$queryRaw<
      { id: string; order: string; by: string }[]
    >`select event_id::text as id, order_id::text as order, by from effects order by n`;
    expect(rows).toHaveLength(600);
    expect(new Set(rows.map(({ by }) => by))).toEqual(new Set(['first', 'second']));
    for (const order of orders) {
      expect(rows.filter((row) => row.order === order).map(({ id }) => id)).toEqual(
        events.filter(({ key }) => key === order).map(({ id }) => id),
      );
    }
    expect(await stage.letters()).toEqual([]);
  }, 120_000);
});

describe('membership', () => {
  it('lasts while handlers take longer than the session time-out, one and all together', async () => {
    stage = await createStage(2);
    const events = times(6, () => anEvent());
    await stage.publish(...events);
    let longest = 8_000;
    stage.start(
      async () => {
        const ms = longest;
        longest = 1_500;
        await wait(ms);
      },
      { sessionTimeoutMs: 6_000, chunkSize: 1 },
    );
    await until('all are committed', async () => (await stage.committed()) === 6, 60_000);
    expect((await stage.effects()).sort()).toEqual(events.map(({ id }) => id).sort());
    expect(stage.joins).toHaveLength(1);
  }, 90_000);

  it('ends after what is under way: its offset is committed, and the next goes on behind it', async () => {
    stage = await createStage();
    const events = times(5, () => anEvent());
    await stage.publish(...events);
    const gate = held();
    const handled: string[] = [];
    const first = stage.start(
      async (id) => {
        handled.push(id);
        if (handled.length === 2) await gate.until;
      },
      { chunkSize: 1 },
    );
    await until('the second is under way', () => handled.length === 2);
    const stopped = first.stop();
    await wait(300);
    gate.release();
    await stopped;
    expect(await stage.committed()).toBe(2);
    expect(await stage.effects()).toEqual(events.slice(0, 2).map(({ id }) => id));
    stage.start(async (id) => void handled.push(id), { chunkSize: 1 });
    await until('all are committed', async () => (await stage.committed()) === 5);
    expect(handled).toEqual(events.map(({ id }) => id));
  });

  it('ends at once in the midst of a retry, which the next one begins anew', async () => {
    stage = await createStage();
    const event = anEvent();
    await stage.publish(event);
    let calls = 0;
    const first = stage.start(
      async () => {
        calls += 1;
        throw new Error('not yet');
      },
      { retry: { attempts: 3, firstDelayMs: 60_000, multiplier: 2 } },
    );
    await until('it has failed', () => calls === 1);
    const began = performance.now();
    await first.stop();
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(await stage.letters()).toEqual([]);
    stage.start();
    await stage.has(event);
  });

  it('can be stopped before it was joined, and without a broker', async () => {
    stage = await createStage();
    const consumer = stage.start();
    await consumer.stop();
    await consumer.stop();
  });
});
