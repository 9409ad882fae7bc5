import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { sql } from '@store/shared/database/sql';
import { AssignerProtocol } from 'kafkajs';
import { until } from '../../../../tests/kit/until.ts';
import { anEvent, times, useFixture } from './_fixture.ts';

describe('partitions of a consumer', () => {
  const fixture = useFixture(6);

  it('are handled independently of each other', async () => {
    const slow = anEvent();
    await fixture.publish(slow);
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    let hasStarted = false;
    fixture.start(async (id) => {
      if (id !== slow.id) return;
      hasStarted = true;
      await released;
    });
    await until('the slow event is being handled', () => hasStarted);
    await wait(300); // so that no other batch is in flight
    const events = times(60, () => anEvent());
    await fixture.publish(...events);
    // About a sixth are in the partition of the slow event.
    await until('events of the other partitions are handled', async () => (await fixture.handled()).length > 25);
    expect(await fixture.handled()).not.toContain(slow.id);
    release();
    await fixture.has(slow, ...events);
  });

  it('belong to one member each, and no event is handled twice', async () => {
    const names = ['first', 'second', 'third'];
    for (const name of names) fixture.start(undefined, { name });
    const assigned = async () => {
      const { groups } = await fixture.withAdmin((admin) => admin.describeGroups([fixture.group]));
      return groups.flatMap((group) =>
        group.members.map(({ memberAssignment }) => {
          const decoded = AssignerProtocol.MemberAssignment.decode(memberAssignment);
          return decoded?.assignment[fixture.topic] ?? [];
        }),
      );
    };
    await until('each member has partitions', async () => {
      const all = await assigned();
      return all.length === names.length && all.every((partitions) => partitions.length > 0);
    });
    expect((await assigned()).flat().sort()).toEqual([0, 1, 2, 3, 4, 5]);
    const events = times(120, () => anEvent());
    await fixture.publish(...events);
    await fixture.has(...events);
    const rows = await fixture.database.run<{ by: string }>(sql`select by from handled_events`);
    expect(rows).toHaveLength(120);
    expect(new Set(rows.map(({ by }) => by))).toEqual(new Set(names));
  });

  it('keep the order of each key while members join and leave', async () => {
    const orders = times(20, () => randomUUID());
    const events = times(600, (index) => anEvent(orders[index % orders.length]));
    const slowly = () => wait(5);
    const first = fixture.start(slowly, { name: 'first', group: { chunkSize: 5 } });
    // So that events are always in flight when partitions are reassigned.
    for (let batch = 0; batch < 60; batch += 1) {
      await fixture.publish(...events.slice(10 * batch, 10 * batch + 10));
      if (batch === 10) fixture.start(slowly, { name: 'second', group: { chunkSize: 5 } });
      if (batch === 40) await first.stop();
      await wait(100);
    }
    await until('all events are committed', async () => (await fixture.committed()) === 600);
    const rows = await fixture.database.run<{ id: string; order: string; by: string }>(
      sql`select event_id as id, order_id as order, by from handled_events order by n`,
    );
    expect(rows).toHaveLength(600);
    expect(new Set(rows.map(({ by }) => by))).toEqual(new Set(['first', 'second']));
    for (const order of orders) {
      expect(rows.filter((row) => row.order === order).map(({ id }) => id)).toEqual(
        events.filter(({ key }) => key === order).map(({ id }) => id),
      );
    }
    expect(await fixture.deadLetters()).toEqual([]);
  }, 120_000);

  it('keep their member while a handler takes longer than the session time-out', async () => {
    const events = times(6, () => anEvent());
    await fixture.publish(...events);
    const members = async () => {
      const { groups } = await fixture.withAdmin((admin) => admin.describeGroups([fixture.group]));
      return groups.flatMap((group) => group.members.map(({ memberId }) => memberId));
    };
    let first: Promise<string[]> | undefined;
    fixture.start(
      async () => {
        const ms = first === undefined ? 8_000 : 500;
        first ??= members();
        await wait(ms);
      },
      { sessionTimeoutMs: 6_000, group: { chunkSize: 1 } },
    );
    await until('all events are committed', async () => (await fixture.committed()) === 6);
    expect((await fixture.handled()).sort()).toEqual(events.map(({ id }) => id).sort());
    expect(await first).toHaveLength(1);
    expect(await members()).toEqual(await first);
  }, 90_000);
});

describe('group membership', () => {
  const fixture = useFixture();

  it('ends after the event in flight is committed, and the next member continues after it', async () => {
    const events = times(5, () => anEvent());
    await fixture.publish(...events);
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const handled: string[] = [];
    const first = fixture.start(
      async (id) => {
        handled.push(id);
        if (handled.length === 2) await released;
      },
      { group: { chunkSize: 1 } },
    );
    await until('the second event is in flight', () => handled.length === 2);
    const stopped = first.stop();
    await wait(300);
    release();
    await stopped;
    expect(await fixture.committed()).toBe(2);
    expect(await fixture.handled()).toEqual(events.slice(0, 2).map(({ id }) => id));
    fixture.start(async (id) => void handled.push(id), { group: { chunkSize: 1 } });
    await until('all events are committed', async () => (await fixture.committed()) === 5);
    expect(handled).toEqual(events.map(({ id }) => id));
  });

  it('ends at once during a retry delay, and the next member starts over', async () => {
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
    await until('the handler has failed', () => calls === 1);
    const stoppedAt = performance.now();
    await first.stop();
    expect(performance.now() - stoppedAt).toBeLessThan(30_000); // half of the delay
    expect(await fixture.deadLetters()).toEqual([]);
    fixture.start();
    await fixture.has(event);
  });

  it('can be ended repeatedly, even before the member has joined', async () => {
    const consumer = fixture.start();
    await consumer.stop();
    await consumer.stop();
  });
});
