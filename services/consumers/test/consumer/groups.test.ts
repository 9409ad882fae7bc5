import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { until } from '../../../../tests/kit/until.ts';
import { anEvent, createFixture, type Fixture, held, times } from './_fixture.ts';

let fixture: Fixture;

afterEach(() => fixture.close());

describe('partitions', () => {
  it('do not wait for one another', async () => {
    fixture = await createFixture(6);
    const slow = anEvent();
    await fixture.publish(slow);
    const proxy = held();
    let begun = false;
    fixture.start(async (id) => {
      if (id !== slow.id) return;
      begun = true;
      await proxy.until;
    });
    await until('the slow one has begun', () => begun);
    await wait(300); // now its batch is the only one that is handled
    const events = times(60, () => anEvent());
    await fixture.publish(...events);
    // All but those behind the slow one, which are a sixth of them or so.
    await until('the others are done', async () => (await fixture.effects()).length > 25, { timeoutMs: 10_000 });
    expect(await fixture.effects()).not.toContain(slow.id);
    proxy.release();
    await fixture.has(slow, ...events);
  });

  it('keep the order of a key, also where a member joins and another leaves meanwhile', async () => {
    fixture = await createFixture(6);
    const orders = times(20, () => randomUUID());
    const events = times(600, (index) => anEvent(orders[index % orders.length]));
    const slowly = () => wait(5);
    const first = fixture.start(slowly, { name: 'first', chunkSize: 5 });
    // So that there is always something under way when partitions change hands.
    for (let batch = 0; batch < 60; batch += 1) {
      await fixture.publish(...events.slice(10 * batch, 10 * batch + 10));
      if (batch === 10) fixture.start(slowly, { name: 'second', chunkSize: 5 });
      if (batch === 40) await first.stop();
      await wait(100);
    }
    await until('all are committed', async () => (await fixture.committed()) === 600);
    const rows = await fixture.prisma.$queryRaw<
      { id: string; order: string; by: string }[]
    >`select event_id::text as id, order_id::text as order, by from effects order by n`;
    expect(rows).toHaveLength(600);
    expect(new Set(rows.map(({ by }) => by))).toEqual(new Set(['first', 'second']));
    for (const order of orders) {
      expect(rows.filter((row) => row.order === order).map(({ id }) => id)).toEqual(
        events.filter(({ key }) => key === order).map(({ id }) => id),
      );
    }
    expect(await fixture.letters()).toEqual([]);
  }, 120_000);
});

describe('membership', () => {
  it('lasts while handlers take longer than the session time-out, one and all together', async () => {
    fixture = await createFixture(2);
    const events = times(6, () => anEvent());
    await fixture.publish(...events);
    let longest = 8_000;
    fixture.start(
      async () => {
        const ms = longest;
        longest = 1_500;
        await wait(ms);
      },
      { sessionTimeoutMs: 6_000, chunkSize: 1 },
    );
    await until('all are committed', async () => (await fixture.committed()) === 6);
    expect((await fixture.effects()).sort()).toEqual(events.map(({ id }) => id).sort());
    expect(fixture.joins).toHaveLength(1);
  }, 90_000);

  it('ends after what is under way: its offset is committed, and the next goes on behind it', async () => {
    fixture = await createFixture();
    const events = times(5, () => anEvent());
    await fixture.publish(...events);
    const proxy = held();
    const handled: string[] = [];
    const first = fixture.start(
      async (id) => {
        handled.push(id);
        if (handled.length === 2) await proxy.until;
      },
      { chunkSize: 1 },
    );
    await until('the second is under way', () => handled.length === 2);
    const stopped = first.stop();
    await wait(300);
    proxy.release();
    await stopped;
    expect(await fixture.committed()).toBe(2);
    expect(await fixture.effects()).toEqual(events.slice(0, 2).map(({ id }) => id));
    fixture.start(async (id) => void handled.push(id), { chunkSize: 1 });
    await until('all are committed', async () => (await fixture.committed()) === 5);
    expect(handled).toEqual(events.map(({ id }) => id));
  });

  it('ends at once in the midst of a retry, which the next one begins anew', async () => {
    fixture = await createFixture();
    const event = anEvent();
    await fixture.publish(event);
    let calls = 0;
    const first = fixture.start(
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
    expect(await fixture.letters()).toEqual([]);
    fixture.start();
    await fixture.has(event);
  });

  it('can be stopped before it was joined, and without a broker', async () => {
    fixture = await createFixture();
    const consumer = fixture.start();
    await consumer.stop();
    await consumer.stop();
  });
});
