import { randomUUID } from 'node:crypto';
import { PoisonError } from '@store/shared/messaging/events';
import { readTopic } from '../../../../tests/kit/topic.ts';
import { until } from '../../../../tests/kit/until.ts';
import { anEvent, createStage, kafka, rawOf, type Stage } from './_fixture.ts';

let stage: Stage;

afterEach(() => stage.close());

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
