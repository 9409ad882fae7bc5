import type { DeadLetter } from '@store/shared/messaging/dead-letters/dead-letters';
import { describeLetters } from '@store/shared/messaging/dead-letters/describe';
import { readRanges } from '@store/shared/messaging/dead-letters/read-range';
import { createKafka } from '@store/shared/messaging/kafka';
import { createLog } from '@store/shared/observability/log';
import { serviceConfig } from '@store/shared/service/config';
import { runRedrive } from '@store/shared/service/run-redrive';
import { z } from 'zod';
import { unreachableDatabaseUrl } from '../../../../tests/kit/database.ts';
import { brokers } from '../../../../tests/kit/topic.ts';
import { until } from '../../../../tests/kit/until.ts';
import type { DB } from '../../src/generated/tables.ts';
import { anEvent, createFixture, deadLettersOf, type Fixture, rawOf } from './_fixture.ts';

let fixture: Fixture;

beforeEach(async () => {
  fixture = await createFixture(3);
});

afterEach(() => fixture.close());

const broken = async () => {
  throw new Error('broken:\nline 2');
};

interface Circumstances {
  group?: ReturnType<typeof fixture.consumerGroup>;
  databaseUrl?: string;
  kafkaBrokers?: string[];
}

/** Runs the dead letter command as a service's redrive.ts does. */
async function command(
  argv: string[],
  { group = fixture.consumerGroup(), databaseUrl = fixture.database.url, kafkaBrokers = brokers }: Circumstances = {},
) {
  const lines: string[] = [];
  const messaging = { KAFKA_TLS: false, RETRY_ATTEMPTS: 1, RETRY_DELAY_MS: 1, RETRY_MULTIPLIER: 1 };
  const config = { ...messaging, KAFKA_BROKERS: kafkaBrokers, DATABASE_URL: databaseUrl };
  const configSchema = z.object({ ...serviceConfig, DATABASE_URL: z.string().default(databaseUrl) });
  const build = () => ({ app: () => undefined, consumer: { group, config } });
  const definition = { name: 'test', configSchema, build };
  const code = await runRedrive<typeof configSchema, DB>(definition, argv, (line) => lines.push(line));
  return { code, text: lines.join('\n') };
}

/** Publishes events that end as dead letters because their handler fails. */
async function deadLetteredEvents(count: number) {
  const events = Array.from({ length: count }, () => anEvent());
  await fixture.publish(...events);
  const consumer = fixture.start(broken, { retry: { attempts: 2, firstDelayMs: 1, multiplier: 1 } });
  await until('all events are dead letters', async () => (await fixture.committed()) === count);
  await consumer.stop();
  return events;
}

test('dead letter list shows group, kind, order, age, attempts and error of dead letters and keeps them', async () => {
  const [event] = await deadLetteredEvents(1);
  for (const argv of [['list'], []]) {
    const { code, text } = await command(argv);
    expect(code).toBe(0);
    expect(text).toContain(`${fixture.group}  OrderCancelled  order ${event?.key}`);
    expect(text).toMatch(/ {2}\d+ s old {2}2 attempts\n/);
    expect(text).toContain('  broken:\n  line 2');
    expect(text).toContain(event?.id);
    expect(text).toContain('1 dead letter');
  }
});

test('redrive handles each dead letter once with the repaired handler and removes it from the list', async () => {
  const events = await deadLetteredEvents(7);
  expect(await fixture.handled()).toEqual([]);
  const { code, text } = await command(['retry']);
  expect(text).toContain('7 processed, 0 failed again');
  expect(code).toBe(0);
  expect((await fixture.handled()).sort()).toEqual(events.map(({ id }) => id).sort());
  expect(await fixture.deadLetters()).toEqual([]);
  expect((await command(['retry'])).text).toContain(`No dead letters of ${fixture.group}`);
  expect(await fixture.handled()).toHaveLength(7);
});

test('redrive that fails again adds an attempt and keeps origin and time of the dead letter', async () => {
  await deadLetteredEvents(3);
  const byOrigin = (letters: DeadLetter[]) =>
    letters.sort((a, b) => JSON.stringify(a.origin).localeCompare(JSON.stringify(b.origin)));
  const before = byOrigin(await fixture.deadLetters());
  const { code, text } = await command(['retry'], { group: fixture.consumerGroup(broken, 'b') });
  expect(text).toContain('0 processed, 3 failed again');
  expect(code).toBe(1);
  const after = byOrigin(await fixture.deadLetters());
  expect(after.map(({ attempts }) => attempts)).toEqual([3, 3, 3]);
  expect(after.map(({ origin, time, message }) => ({ origin, time, id: message.headers.ce_id }))).toEqual(
    before.map(({ origin, time, message }) => ({ origin, time, id: message.headers.ce_id })),
  );
  expect((await command(['retry'])).text).toContain('3 processed, 0 failed again');
});

test('redrive keeps poison and handles the other dead letters', async () => {
  const [event] = await deadLetteredEvents(1);
  await fixture.send({ ...rawOf(anEvent()), value: '{' });
  const consumer = fixture.start();
  await until('the poison is a dead letter', async () => (await fixture.committed()) === 2);
  await consumer.stop();
  expect(await command(['retry'])).toMatchObject({ code: 1, text: expect.stringContaining('1 processed, 1 failed') });
  expect(await fixture.handled()).toEqual([event?.id]);
  expect(await fixture.deadLetters()).toMatchObject([{ attempts: 2, message: { value: '{' } }]);
});

test('concurrent redrives and the consumer group together handle each dead letter once', async () => {
  const events = await deadLetteredEvents(20);
  await fixture.reset(); // so that the group itself reads the events again
  const consumer = fixture.start();
  const results = await Promise.all([command(['retry']), command(['retry'])]);
  for (const { text } of results) expect(text).not.toContain('Giving up');
  await fixture.has(...events);
  await consumer.stop();
  expect(await fixture.handled()).toHaveLength(20);
  await command(['retry']);
  expect(await fixture.deadLetters()).toEqual([]);
  expect(await fixture.handled()).toHaveLength(20);
});

test('redrive does not touch the dead letters of other groups or any committed offset', async () => {
  await deadLetteredEvents(2);
  const other = await createFixture();
  fixture.onEnd(other.close);
  await other.publish(anEvent());
  other.start(broken, { retry: { attempts: 1, firstDelayMs: 1, multiplier: 1 } });
  await until('its event is a dead letter', async () => (await other.committed()) === 1);
  const others = await deadLettersOf(other.group);
  expect((await command(['retry'])).text).toContain('2 processed');
  expect(await deadLettersOf(other.group)).toEqual(others);
  expect([await fixture.committed(), await other.committed()]).toEqual([2, 1]);
});

test('redrive keeps dead letters while a dependency of the handler is unavailable', async () => {
  const events = await deadLetteredEvents(3);
  const { code, text } = await command(['retry'], { databaseUrl: unreachableDatabaseUrl });
  expect(code).toBe(1);
  expect(text).toContain('Giving up');
  expect(await fixture.deadLetters()).toHaveLength(3);
  expect((await command(['retry'])).text).toContain('3 processed');
  expect(await fixture.handled()).toHaveLength(events.length);
});

describe('dead letter command', () => {
  it('prints its usage', async () => {
    for (const argv of [['--help'], ['-h'], ['help']]) {
      expect(await command(argv)).toMatchObject({
        code: 0,
        text: expect.stringContaining('redrive.js retry'),
      });
    }
  });

  it('rejects unknown commands and options', async () => {
    for (const argv of [['rerty'], ['list', 'all'], ['--force'], ['retry', '--group=x']]) {
      expect(await command(argv)).toMatchObject({
        code: 2,
        text: expect.stringContaining('redrive.js retry'),
      });
    }
  });

  it('names missing settings and reports an unreachable broker', async () => {
    const lines: string[] = [];
    const configSchema = z.object({ ...serviceConfig, SOMETHING_MISSING: z.string() });
    const build = () => Promise.reject(new Error('must not be called'));
    const print = (line: string) => lines.push(line);
    expect(await runRedrive<typeof configSchema, DB>({ name: 'test', configSchema, build }, ['list'], print)).toBe(1);
    expect(lines).toEqual([expect.stringContaining('SOMETHING_MISSING')]);
    const unanswered = await command(['list'], { kafkaBrokers: ['127.0.0.1:1'] });
    expect(unanswered).toEqual({ code: 1, text: expect.stringMatching(/^Giving up/) });
  });
});

test('describeLetters removes control characters and lists the oldest dead letter first', () => {
  const letter = (minutes: number, error: string): DeadLetter => ({
    ...{ group: 'g', attempts: 1, error, origin: { topic: 't', partition: 0, offset: '7' } },
    time: new Date(Date.UTC(2026, 0, 1, 12, minutes)),
    message: { key: 'k\x1b[2J', value: '', headers: { ce_type: 'OrderPaid\x07' } },
  });
  const now = new Date(Date.UTC(2026, 0, 3, 13));
  const text = describeLetters([letter(30, 'second'), letter(0, 'first\x1b]0;x')], 'g', now);
  expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
  expect(text.indexOf('first')).toBeLessThan(text.indexOf('second'));
  expect(text).toContain('2 days old');
});

describe('readPartitions', () => {
  const kafka = createKafka({ brokers, clientId: 'test', log: createLog('test', 'silent') });

  it('yields each message of the ranges once, and none beyond', async () => {
    const events = Array.from({ length: 500 }, () => anEvent());
    await fixture.publish(...events);
    const seen: string[] = [];
    const ranges = [0, 1, 2].map((partition) => ({ partition, start: 2n, end: 10n }));
    const onMessage = (partition: number, { offset }: { offset: string }) => void seen.push(`${partition}:${offset}`);
    expect(await readRanges({ kafka, topic: fixture.topic, ranges, onMessage })).toBe(true);
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
