import type { DeadLetter } from '@store/shared/messaging/dead-letters/dead-letters';
import { describeLetters } from '@store/shared/messaging/dead-letters/describe';
import { readRanges } from '@store/shared/messaging/dead-letters/read-range';
import { recordsOf } from '@store/shared/messaging/dead-letters/records';
import { listDeadLetters } from '@store/shared/messaging/dead-letters/redrive';
import { serviceConfig } from '@store/shared/service/config';
import { runRedrive } from '@store/shared/service/run-redrive';
import { z } from 'zod';
import { unreachableDatabaseUrl } from '../../../../tests/kit/postgres/database.ts';
import { until } from '../../../../tests/kit/until.ts';
import type { DB } from '../../src/generated/tables.ts';
import { broken, command, deadLetteredEvents } from './_dead-letters.ts';
import { anEvent, createFixture, type Fixture, kafka, rawOf } from './_fixture.ts';

let fixture: Fixture;

beforeEach(async () => {
  fixture = await createFixture(3);
});

afterEach(() => fixture.close());

const run = (...argv: string[]) => command(fixture, argv);

test('dead letter list shows group, kind, order, age, attempts and error of dead letters and keeps them', async () => {
  const [event] = await deadLetteredEvents(fixture, 1);
  for (const argv of [['list'], []]) {
    const { code, text } = await run(...argv);
    expect(code).toBe(0);
    expect(text).toContain(`${fixture.group}  OrderCancelled  order ${event?.key}`);
    expect(text).toMatch(/ {2}\d+ s old {2}2 attempts\n {2}id [\da-f-]{36}\n/);
    expect(text).toContain('  broken:\n  line 2');
    expect(text).toContain(event?.id);
    expect(text).toContain('1 dead letter');
    expect(text).not.toContain(event?.payload);
  }
  const [letter] = await fixture.deadLetters();
  const shown = await run('list', '--id', String(letter?.id));
  expect(shown.text).toContain(event?.payload);
  expect(shown.text).toContain('ce_type: OrderCancelled');
});

test('redrive handles each dead letter once with the repaired handler and removes it from the list', async () => {
  const events = await deadLetteredEvents(fixture, 7);
  expect(await fixture.handled()).toEqual([]);
  const known = (group: string) => (group === fixture.group ? recordsOf(fixture.kysely, group) : undefined);
  const { letters, total } = await listDeadLetters({ kafka, known, limit: 2 });
  expect([letters.length, total]).toEqual([2, 7]);
  const { code, text } = await run('redrive');
  expect(text).toContain('7 redriven, 0 failed again');
  expect(code).toBe(0);
  expect((await fixture.handled()).sort()).toEqual(events.map(({ id }) => id).sort());
  expect(await fixture.deadLetters()).toEqual([]);
  expect((await run('list')).text).toContain(`No dead letters of ${fixture.group}`);
  expect((await run('redrive')).text).toContain('0 redriven, 0 failed again');
  expect(await fixture.handled()).toHaveLength(7);
});

test('redrive that fails again adds an attempt and keeps the dead letter, whose error is the latest', async () => {
  await deadLetteredEvents(fixture, 3);
  const before = await fixture.deadLetters();
  const failing = fixture.consumerGroup(() => Promise.reject(new Error('broken in another way\0')));
  const { code, text } = await command(fixture, ['redrive'], { group: failing });
  expect(text).toContain('0 redriven, 3 failed again');
  expect(code).toBe(1);
  const changed = { attempts: 3, error: 'broken in another way' };
  expect(await fixture.deadLetters()).toEqual(before.map((letter) => ({ ...letter, ...changed })));
  expect((await run('redrive')).text).toContain('3 redriven, 0 failed again');
});

test('redrive keeps poison and handles the other dead letters', async () => {
  const [event] = await deadLetteredEvents(fixture, 1);
  await fixture.send({ ...rawOf(anEvent()), value: '{' });
  const consumer = fixture.start();
  await until('the poison is a dead letter', async () => (await fixture.committed()) === 2);
  await consumer.stop();
  expect(await run('redrive')).toMatchObject({ code: 1, text: expect.stringContaining('1 redriven, 1 failed') });
  expect(await fixture.handled()).toEqual([event?.id]);
  expect(await fixture.deadLetters()).toMatchObject([{ attempts: 2, message: { value: '{' } }]);
});

test('redrive does not touch the dead letters of other groups or any committed offset', async () => {
  await deadLetteredEvents(fixture, 2);
  const other = await createFixture();
  fixture.onEnd(other.close);
  await other.publish(anEvent());
  other.start(broken, { retry: { attempts: 1, firstDelayMs: 1, multiplier: 1 } });
  await until('its event is a dead letter', async () => (await other.committed()) === 1);
  const others = await other.deadLetters();
  expect((await run('redrive')).text).toContain('2 redriven');
  expect(await other.deadLetters()).toEqual(others);
  expect([await fixture.committed(), await other.committed()]).toEqual([2, 1]);
});

test('redrive keeps dead letters while a dependency of the handler is unavailable', async () => {
  const events = await deadLetteredEvents(fixture, 3);
  const { code, text } = await command(fixture, ['redrive'], { databaseUrl: unreachableDatabaseUrl });
  expect(code).toBe(1);
  expect(text).toContain('Giving up');
  expect(await fixture.deadLetters()).toHaveLength(3);
  expect((await run('redrive')).text).toContain('3 redriven');
  expect(await fixture.handled()).toHaveLength(events.length);
});

describe('dead letter command', () => {
  it('prints its usage', async () => {
    for (const argv of [['--help'], ['-h'], ['help']]) {
      expect(await run(...argv)).toMatchObject({ code: 0, text: expect.stringContaining('node dist/redrive.js') });
    }
    for (const argv of [
      ['redrive', '--help'],
      ['help', 'discard'],
    ]) {
      expect(await run(...argv)).toMatchObject({ code: 0, text: expect.stringContaining('--dry-run') });
    }
  });

  it.each([
    ['an unknown command', ['rerdive']],
    ['a word too many', ['redrive', 'all']],
    ['an unknown option', ['--force']],
    ['a discard of everything', ['discard', '--reason', 'why not']],
    ['a discard without a reason', ['discard', '--id', '7a3b0c1e-0000-8000-8000-000000000000']],
    ['an empty reason', ['discard', '--id', '7a3b0c1e-0000-8000-8000-000000000000', '--reason', ' ']],
    ['something that is no id', ['redrive', '--id', '17']],
    ['an empty name', ['redrive', '--by', '']],
  ])('rejects %s', async (_, argv) => {
    expect(await run(...argv)).toMatchObject({ code: 2, text: expect.stringContaining('Usage: node dist/redrive.js') });
  });

  it('names missing settings and reports an unreachable broker', async () => {
    const lines: string[] = [];
    const configSchema = z.object({ ...serviceConfig, SOMETHING_MISSING: z.string() });
    const build = () => Promise.reject(new Error('must not be called'));
    const print = (line: string) => lines.push(line);
    expect(await runRedrive<typeof configSchema, DB>({ name: 'test', configSchema, build }, ['list'], print)).toBe(1);
    expect(lines).toEqual([expect.stringContaining('SOMETHING_MISSING')]);
    const unanswered = await command(fixture, ['list'], { kafkaBrokers: ['127.0.0.1:1'] });
    expect(unanswered).toEqual({ code: 1, text: expect.stringMatching(/^Giving up/) });
  });
});

test('describeLetters removes control characters and lists the oldest dead letter first', () => {
  const letter = (minutes: number, error: string): DeadLetter => ({
    group: 'g',
    id: 'i',
    eventId: undefined,
    attempts: 1,
    error,
    kind: 'OrderPaid\x07',
    time: new Date(Date.UTC(2026, 0, 1, 12, minutes)),
    message: { key: 'k\x1b[2J', value: '', headers: {}, origin: { topic: 't\x07', partition: 0, offset: '7' } },
  });
  const now = new Date(Date.UTC(2026, 0, 3, 13));
  const letters = [letter(30, 'second'), letter(0, 'first\x1b]0;x')];
  const text = describeLetters({ letters, total: 5 }, 'g', now);
  expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
  expect(text.indexOf('first')).toBeLessThan(text.indexOf('second'));
  expect(text).toContain('2 days old');
  expect(text).toContain('5 dead letters, of which 2 are shown');
});

describe('readRanges', () => {
  it('yields each message of the ranges once, and none beyond', async () => {
    const events = Array.from({ length: 500 }, () => anEvent());
    await fixture.publish(...events);
    const seen: string[] = [];
    const ranges = [0, 1, 2].map((partition) => ({ partition, start: 2n, end: 10n }));
    const onMessage = (partition: number, { offset }: { offset: string }) => void seen.push(`${partition}:${offset}`);
    await readRanges({ kafka, topic: fixture.topic, ranges, onMessage });
    const wanted = [0, 1, 2].flatMap((partition) => [2, 3, 4, 5, 6, 7, 8, 9].map((offset) => `${partition}:${offset}`));
    expect([...seen].sort()).toEqual(wanted.sort());
  });

  it('rejects with the error of its callback', async () => {
    await fixture.publish(...Array.from({ length: 30 }, () => anEvent()));
    const ranges = [{ partition: 0, start: 0n, end: 2n }];
    const onMessage = () => Promise.reject(new Error('enough'));
    await expect(readRanges({ kafka, topic: fixture.topic, ranges, onMessage })).rejects.toThrow('enough');
  });
});
