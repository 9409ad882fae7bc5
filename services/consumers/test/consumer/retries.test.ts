import { messagingConfig, retriesFrom } from '@store/shared/messaging/config';
import { createLog } from '@store/shared/observability/log';
import { unavailable } from '@store/shared/values/errors';
import pg from 'pg';
import { z } from 'zod';
import { until } from '../../../../tests/kit/until.ts';
import { anEvent, times, useFixture } from './_fixture.ts';

describe('retries of a handler', () => {
  const fixture = useFixture();

  it('follow the configured delays, and the event is handled once', async () => {
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
    expect(await fixture.handled()).toEqual([event.id]);
    expect(await fixture.deadLetters()).toEqual([]);
  });

  it('are by default three attempts with 1 s and 2 s between them, and then a dead letter', async () => {
    const defaults = z.object(messagingConfig).parse({ KAFKA_BROKERS: 'unused:1' });
    const attempts: number[] = [];
    const event = anEvent();
    await fixture.publish(event);
    fixture.start(
      async () => {
        attempts.push(performance.now());
        throw new Error('always');
      },
      { retry: retriesFrom(defaults) },
    );
    await until('it is a dead letter', async () => (await fixture.deadLetters()).length > 0);
    const [first = 0, second = 0, third = 0] = attempts;
    expect(attempts).toHaveLength(3);
    // A timer may be early by a part of a millisecond. How late it is depends on the machine.
    expect(second - first).toBeGreaterThanOrEqual(995);
    expect(third - second).toBeGreaterThanOrEqual(1_995);
    expect(retriesFrom(defaults)).toEqual({ attempts: 3, firstDelayMs: 1_000, multiplier: 2 });
    expect(await fixture.deadLetters()).toMatchObject([{ attempts: 3, message: { key: event.key } }]);
  });

  it('end with a dead letter and delay the events behind it no longer than the retries take', async () => {
    const [failing = anEvent(), ...others] = times(20, () => anEvent());
    await fixture.publish(failing, ...others);
    const failedAt: number[] = [];
    let nextAt = 0;
    fixture.start(async (id) => {
      if (id === failing.id) {
        failedAt.push(performance.now());
        throw new Error('always');
      }
      nextAt ||= performance.now();
    });
    await fixture.has(...others);
    expect(failedAt).toHaveLength(4); // once within the chunk, then three times alone
    expect(nextAt - (failedAt.at(-1) ?? 0)).toBeLessThan(10_000);
    const deadLetter = { attempts: 3, error: 'always', message: { key: failing.key } };
    expect(await fixture.deadLetters()).toMatchObject([deadLetter]);
    expect(await fixture.handled()).toEqual(others.map(({ id }) => id));
  });

  it('handle the events of a failed chunk one by one, in order, each once', async () => {
    const events = times(30, () => anEvent());
    const failing = new Set([events[3]?.id, events[17]?.id]);
    await fixture.publish(...events);
    fixture.start(async (id) => {
      if (failing.has(id)) throw new Error('always');
    });
    await until('all events are committed', async () => (await fixture.committed()) === 30);
    expect(await fixture.handled()).toEqual(events.map(({ id }) => id).filter((id) => !failing.has(id)));
    expect(new Set((await fixture.deadLetters()).map(({ message }) => message.headers.ce_id))).toEqual(failing);
  });
});

describe('consumer with an unavailable dependency', () => {
  const fixture = useFixture();

  it.each([
    ['refuses connections', 'with allow_connections false', 'with allow_connections true'],
    ['is read-only', 'set default_transaction_read_only = on', 'reset default_transaction_read_only'],
  ])('keeps the message while the database %s', async (_, breaking, repairing) => {
    const name = new URL(fixture.databaseUrl).pathname.slice(1);
    const admin = new pg.Client({ connectionString: process.env.TEST_DATABASE_URL });
    await admin.connect();
    fixture.onEnd(() => admin.end());
    const alter = async (change: string) => {
      await admin.query(`alter database ${name} ${change}`);
      await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
    };
    const [first, ...others] = [anEvent(), anEvent(), anEvent()];
    const lines: string[] = [];
    fixture.start(undefined, { log: createLog('test', 'warn', { write: (line) => void lines.push(line) }) });
    await fixture.publish(first);
    await until('it is committed', async () => (await fixture.committed()) === 1);
    await alter(breaking);
    await fixture.publish(...others);
    const waits = () => lines.filter((line) => line.includes('A dependency is unavailable')).length;
    await until('there were more attempts than for a failing event', () => waits() > 3);
    expect([await fixture.committed(), await fixture.deadLetters()]).toEqual([1, []]);
    await alter(repairing);
    await fixture.has(...others);
    expect(await fixture.deadLetters()).toEqual([]);
  });

  it('keeps the message while another service is unavailable, even beyond the number of attempts', async () => {
    const event = anEvent();
    await fixture.publish(event);
    let calls = 0;
    fixture.start(undefined, {
      group: {
        async prepare() {
          calls += 1;
          if (calls < 6) throw unavailable('The product service');
          return [];
        },
      },
    });
    await fixture.has(event);
    expect(calls).toBe(6);
    expect(await fixture.deadLetters()).toEqual([]);
  });
});
