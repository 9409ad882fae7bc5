import { setTimeout as wait } from 'node:timers/promises';
import { openDatabase } from '@store/shared/database/database';
import { unavailable } from '@store/shared/values/errors';
import pg from 'pg';
import { createTcpProxy } from '../../../../tests/kit/tcp-proxy.ts';
import { until } from '../../../../tests/kit/until.ts';
import type { DB } from '../../src/generated/tables.ts';
import { anEvent, createFixture, type Fixture, times } from './_fixture.ts';

let fixture: Fixture;

afterEach(() => fixture.close());

describe('retries', () => {
  it('come after a delay and after its multiple; then it succeeds, with one effect', async () => {
    fixture = await createFixture();
    const event = anEvent();
    await fixture.publish(event);
    const attempts: number[] = [];
    fixture.start(
      async () => {
        attempts.push(performance.now());
        if (attempts.length < 3) throw new Error('not yet');
      },
      { retry: { attempts: 3, firstDelayMs: 300, multiplier: 2 } },
    );
    await fixture.has(event);
    const [first = 0, second = 0, third = 0] = attempts;
    expect(attempts).toHaveLength(3);
    expect(second - first).toBeGreaterThanOrEqual(295);
    expect(third - second).toBeGreaterThanOrEqual(595);
    expect(third - first).toBeLessThan(3_000);
    expect(await fixture.effects()).toEqual([event.id]);
    expect(await fixture.letters()).toEqual([]);
  });

  it('end in the dead letters; what is behind is held up no longer than the retries take', async () => {
    fixture = await createFixture();
    const [bad, ...good] = times(20, () => anEvent());
    await fixture.publish(...(bad ? [bad] : []), ...good);
    const began = performance.now();
    let calls = 0;
    fixture.start(async (id) => {
      if (id !== bad?.id) return;
      calls += 1;
      throw new Error('always');
    });
    await fixture.has(...good);
    expect(performance.now() - began).toBeLessThan(8_000);
    expect(await fixture.letters()).toMatchObject([{ attempts: 3, error: 'always', message: { key: bad?.key } }]);
    expect(calls).toBe(4); // once together with the others, then three times alone
    expect(await fixture.effects()).toEqual(good.map(({ id }) => id));
  });

  it('a chunk that fails is handled one by one, in order, each once', async () => {
    fixture = await createFixture();
    const events = times(30, () => anEvent());
    const bad = new Set([events[3]?.id, events[17]?.id]);
    await fixture.publish(...events);
    fixture.start(async (id) => {
      if (bad.has(id)) throw new Error('always');
    });
    await until('all are committed', async () => (await fixture.committed()) === 30);
    expect(await fixture.effects()).toEqual(events.map(({ id }) => id).filter((id) => !bad.has(id)));
    expect(new Set((await fixture.letters()).map(({ message }) => message.headers.ce_id))).toEqual(bad);
  });
});

describe('what a handler needs is away', () => {
  it('as its database: it waits, buries nothing, and goes on by itself', async () => {
    fixture = await createFixture();
    const proxy = await createTcpProxy(fixture.database.url);
    fixture.onEnd(proxy.close);
    const { kysely, close } = openDatabase<DB>(proxy.url);
    fixture.onEnd(close);
    const events = times(10, () => anEvent());
    fixture.start(undefined, { processor: fixture.processorOf(undefined, kysely) });
    await fixture.publish(...events.slice(0, 5));
    await fixture.has(...events.slice(0, 5));
    await proxy.close();
    await fixture.publish(...events.slice(5));
    await wait(3_000);
    expect(await fixture.letters()).toEqual([]);
    expect(await fixture.committed()).toBe(5);
    await proxy.open();
    await fixture.has(...events);
    expect(await fixture.effects()).toEqual(events.map(({ id }) => id));
    expect(await fixture.letters()).toEqual([]);
  });

  it.each([
    ['lets nobody in', 'with allow_connections false', 'with allow_connections true'],
    ['is read-only', 'set default_transaction_read_only = on', 'reset default_transaction_read_only'],
  ])('as a database that %s', async (_, wrong, right) => {
    fixture = await createFixture();
    const name = new URL(fixture.database.url).pathname.slice(1);
    const admin = new pg.Client({ connectionString: process.env.TEST_DATABASE_URL });
    await admin.connect();
    fixture.onEnd(() => admin.end());
    const alter = async (how: string) => {
      await admin.query(`alter database ${name} ${how}`);
      await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
    };
    const events = times(3, () => anEvent());
    fixture.start();
    await fixture.publish(...events.slice(0, 1));
    await fixture.has(...events.slice(0, 1));
    await alter(wrong);
    await fixture.publish(...events.slice(1));
    await wait(2_000);
    expect(await fixture.letters()).toEqual([]);
    await alter(right);
    await fixture.has(...events);
    expect(await fixture.letters()).toEqual([]);
  });

  it('as another service, more often than there are attempts', async () => {
    fixture = await createFixture();
    const event = anEvent();
    await fixture.publish(event);
    let asked = 0;
    fixture.start(undefined, {
      group: {
        async prepare() {
          asked += 1;
          if (asked < 6) throw unavailable('The product service');
        },
      },
    });
    await fixture.has(event);
    expect(asked).toBe(6);
    expect(await fixture.letters()).toEqual([]);
  });
});
