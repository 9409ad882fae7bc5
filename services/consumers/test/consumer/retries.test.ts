import { setTimeout as wait } from 'node:timers/promises';
import { openDatabase } from '@store/shared/database/database';
import { unavailable } from '@store/shared/values/errors';
import pg from 'pg';
import { createGate } from '../../../../tests/kit/tcp-proxy.ts';
import { until } from '../../../../tests/kit/until.ts';
import { anEvent, createStage, type Stage, times } from './_fixture.ts';

let stage: Stage;

afterEach(() => stage.close());

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
    const { transact, close } = openDatabase(gate.url);
    stage.onEnd(close);
    const events = times(10, () => anEvent());
    stage.start(undefined, stage.effect(transact));
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
