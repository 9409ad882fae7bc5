import { PoisonError } from '@store/shared/messaging/events';
import { readTopic } from '@store/shared/messaging/kafka/read-topic';
import { deadLetterTopic } from '@store/shared/messaging/topics';
import { until } from '../../../../tests/kit/until.ts';
import { anEvent, rawOf, silent, useFixture } from './_fixture.ts';

describe('poison', () => {
  const fixture = useFixture();

  const valid = rawOf(anEvent());
  const changed = (change: object) => JSON.stringify({ ...JSON.parse(String(valid.value)), ...change });
  /** Checks that an event behind the poison is handled. */
  async function handleNext(options = {}): Promise<string> {
    const behind = anEvent();
    await fixture.publish(behind);
    fixture.start(undefined, options);
    await fixture.has(behind);
    return behind.id;
  }

  // Faults of the message itself. events.test.ts of shared covers faults of its text.
  it.each([
    ['malformed JSON', { value: '{"orderId":' }, /not valid JSON/],
    ['invalid UTF-8', { value: Buffer.from([0x7b, 0xff, 0xfe, 0x7d]) }, /no value/],
    ['no headers', { headers: undefined }, /no kind/],
    ['a kind twice', { headers: { ...valid.headers, ce_type: ['OrderCancelled', 'OrderPaid'] } }, /header ce_type/],
    ['a kind that is not UTF-8', { headers: { ...valid.headers, ce_type: Buffer.from([0xff]) } }, /header ce_type/],
    ['no key', { key: null }, /key of the message is missing/],
    ['the year 0', { value: changed({ timestamp: '0000-01-01T00:00:00Z' }) }, /must be a time/],
    ['the year 10000', { value: changed({ timestamp: '9999-12-31T23:59:59-01:00' }) }, /must be a time/],
    ['NUL', { value: changed({ reason: 'a\0b' }) }, /without NUL/],
  ])('with %s is dead-lettered at once', async (_, change, reason) => {
    await fixture.send({ ...valid, ...change });
    const behind = await handleNext({ retry: { attempts: 3, firstDelayMs: 60_000, multiplier: 2 } });
    const message = {
      key: 'key' in change ? undefined : valid.key,
      origin: { topic: fixture.topic, partition: 0, offset: '0' },
    };
    const letter = { attempts: 1, error: expect.stringMatching(reason), time: expect.any(Date), message };
    expect(await fixture.deadLetters()).toMatchObject([letter]);
    await until('both messages are committed', async () => (await fixture.committed()) === 2);
    expect(await fixture.handled()).toEqual([behind]);
  });

  it('keeps its bytes and its headers', async () => {
    const value = Buffer.from([0, 1, 0xff, 0xfe]);
    await fixture.send({ key: 'k', value, headers: { ce_type: 'OrderCancelled', other: Buffer.from([0xff]) } });
    fixture.start();
    await until('the dead letter is there', async () => (await fixture.committed()) === 1);
    const found: { value: Buffer | null; other: unknown }[] = [];
    await readTopic(silent, deadLetterTopic, (_, { value, headers }) => {
      if (String(headers?.dlq_group) === fixture.group) found.push({ value, other: headers?.other });
    });
    expect(found).toEqual([{ value, other: Buffer.from([0xff]) }]);
  });

  it.each([
    ['of the largest message size', 'its value', { ...valid, value: 'x'.repeat(1_048_200) }, /not valid JSON/],
    [
      'with the largest headers',
      'them',
      { key: 'k', value: null, headers: { much: 'x'.repeat(1_048_350) } },
      /no value/,
    ],
  ])('%s is dead-lettered without %s and does not block the partition', async (_, _without, message, reason) => {
    await fixture.send(message);
    await handleNext();
    const letter = { error: expect.stringMatching(reason), eventId: expect.any(String) };
    expect(await fixture.deadLetters()).toMatchObject([letter]);
  });

  it('with 20,000 headers blocks nothing, and keeps the first headers', async () => {
    const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`h${n}`, '']));
    await fixture.send({ key: 'k', value: '{', headers: { ce_type: 'OrderCancelled', ...many } });
    await handleNext();
    const [letter] = await fixture.deadLetters();
    const names = Object.keys(letter?.message.headers ?? {}).filter((name) => !name.startsWith('dlq_'));
    expect(names).toEqual(['ce_type', ...Object.keys(many).slice(0, 92)]);
  });

  // Other clients can write both.
  it.each<[string, string, string | null]>([
    ['without a value', 'other', null],
    ['named like a property of every object', 'constructor', 'x'],
  ])('with a header %s, which kafkajs can read but not write, is dead-lettered', async (_, name, value) => {
    const byteLength = Buffer.byteLength;
    Buffer.byteLength = (given, ...rest) => (given === null ? 0 : byteLength(given, ...rest)); // kafkajs fails here otherwise
    const headers = { ce_type: 'OrderCancelled', [name]: value as string };
    await fixture.send({ key: 'k', value: '{', headers }).finally(() => Object.assign(Buffer, { byteLength }));
    await handleNext();
    const [letter] = await fixture.deadLetters();
    expect(letter?.error).toMatch(/not valid JSON/);
    expect(Object.keys(letter?.message.headers ?? {})).toContain(name);
  });

  it('can be declared by a handler', async () => {
    await fixture.publish(anEvent());
    let calls = 0;
    fixture.start(async () => {
      calls += 1;
      throw new PoisonError('There is no such product.');
    });
    await until('the event is a dead letter', async () => (await fixture.deadLetters()).length === 1);
    expect(await fixture.deadLetters()).toMatchObject([{ attempts: 1, error: 'There is no such product.' }]);
    expect(calls).toBe(1);
    expect(await fixture.handled()).toEqual([]);
  });
});
