import { randomUUID } from 'node:crypto';
import { PoisonError } from '@store/shared/messaging/events';
import { readTopic } from '../../../../tests/kit/topic.ts';
import { until } from '../../../../tests/kit/until.ts';
import { anEvent, createFixture, type Fixture, kafka, rawOf } from './_fixture.ts';

let fixture: Fixture;

afterEach(() => fixture.close());

describe('poison', () => {
  const good = () => anEvent();
  const whole = rawOf(good());
  const payload = JSON.parse(String(whole.value));

  it.each([
    ['no JSON', { value: '{"orderId":' }, /not valid JSON/],
    ['no value', { value: null }, /not valid JSON/],
    ['no UTF-8', { value: Buffer.from([0x7b, 0xff, 0xfe, 0x7d]) }, /not valid JSON/],
    ['JSON that is no object', { value: '[]' }, /payload of OrderCancelled/],
    ['a missing field', { value: JSON.stringify({ ...payload, reason: undefined }) }, /reason/],
    ['a wrong type', { value: JSON.stringify({ ...payload, orderId: 7 }) }, /orderId/],
    ['no kind', { headers: { ce_id: randomUUID() } }, /no kind/],
    ['no headers', { headers: undefined }, /no kind/],
    ['no id', { headers: { ce_type: 'OrderCancelled' } }, /no event id/],
    ['an id that is no UUID', { headers: { ce_type: 'OrderCancelled', ce_id: '1' } }, /no event id/],
  ])('%s goes to the dead letters at once', async (_, change, reason) => {
    fixture = await createFixture();
    const behind = good();
    const letters = await readTopic('order-events-dlq');
    fixture.onEnd(letters.close);
    await fixture.send({ ...whole, ...change }, rawOf(behind));
    fixture.start(undefined, { retry: { attempts: 3, firstDelayMs: 60_000, multiplier: 2 } });
    await fixture.has(behind);
    const assigned = () => letters.messages.filter(({ headers }) => headers.dlq_group === fixture.group);
    await until('the letter is there', () => assigned().length === 1);
    expect(assigned()[0]?.headers).toMatchObject({
      dlq_group: fixture.group,
      dlq_attempts: '1',
      dlq_error: expect.stringMatching(reason),
      dlq_topic: fixture.topic,
      dlq_partition: '0',
      dlq_offset: '0',
      dlq_time: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect(assigned()[0]?.key).toBe(whole.key);
    await until('both are committed', async () => (await fixture.committed()) === 2);
    expect(await fixture.effects()).toEqual([behind.id]);
  });

  it('keeps its bytes, and the headers that it had', async () => {
    fixture = await createFixture();
    const value = Buffer.from([0, 1, 0xff, 0xfe]);
    await fixture.send({ key: 'k', value, headers: { ce_type: 'OrderCancelled', other: Buffer.from([0xff]) } });
    fixture.start();
    await until('the letter is there', async () => (await fixture.committed()) === 1);
    const consumer = kafka.consumer({ groupId: randomUUID() });
    fixture.onEnd(() => consumer.disconnect());
    await consumer.subscribe({ topic: 'order-events-dlq', fromBeginning: true });
    const found: { value: Buffer | null; other: unknown }[] = [];
    await consumer.run({
      eachMessage: async ({ message }) => {
        if (String(message.headers?.dlq_group) === fixture.group)
          found.push({ value: message.value, other: message.headers?.other });
      },
    });
    await until('it is read', () => found.length === 1);
    expect(found).toEqual([{ value, other: Buffer.from([0xff]) }]);
  });

  it('that is as large as a message may be is buried without its value, and holds up nobody', async () => {
    fixture = await createFixture();
    const behind = good();
    await fixture.send({ ...whole, value: 'x'.repeat(1_048_200) });
    await fixture.publish(behind);
    fixture.start();
    await fixture.has(behind);
    expect(await fixture.letters()).toHaveLength(1);
  });

  it('may also be said by a handler', async () => {
    fixture = await createFixture();
    await fixture.publish(anEvent());
    let calls = 0;
    fixture.start(async () => {
      calls += 1;
      throw new PoisonError('There is no such product.');
    });
    await until('it is buried', async () => (await fixture.letters()).length === 1);
    expect(await fixture.letters()).toMatchObject([{ attempts: 1, error: 'There is no such product.' }]);
    expect(calls).toBe(1);
    expect(await fixture.effects()).toEqual([]);
  });
});
