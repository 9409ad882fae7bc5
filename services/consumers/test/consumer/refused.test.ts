import { unavailable } from '@store/shared/values/errors';
import { until } from '../../../../tests/kit/until.ts';
import { anEvent, createFixture, type Fixture, times } from './_fixture.ts';

// A handler that refuses an event has its effect all the same, and the event becomes a dead letter.

let fixture: Fixture;

beforeEach(async () => {
  fixture = await createFixture();
});
afterEach(() => fixture.close());

const reason = 'There is no such product.';
const refusing = (ids: string[]) => {
  const { handle } = fixture.consumerGroup();
  return {
    group: {
      handle: async (events, tx, refuse) => {
        await handle(events, tx, refuse);
        for (const { event } of events) if (ids.includes(event.id)) refuse(event, reason);
      },
    } satisfies Partial<ReturnType<Fixture['consumerGroup']>>,
  };
};

it.each([1, 20])('of %s events in a chunk, one is refused: all are handled, it is a dead letter', async (count) => {
  const events = times(count, () => anEvent());
  const refused = events.slice(-1);
  await fixture.publish(...events);
  fixture.start(undefined, refusing(refused.map(({ id }) => id)));
  await until('all is committed', async () => (await fixture.committed()) === count);
  expect(await fixture.handled()).toEqual(events.map(({ id }) => id));
  expect(await fixture.deadLetters()).toMatchObject([{ eventId: refused[0]?.id, error: reason, attempts: 1 }]);
});

it('a process that ends between the effect and the dead letter loses neither, and repeats nothing', async () => {
  const event = anEvent();
  await fixture.publish(event);
  const sender = { send: () => Promise.reject(unavailable('Kafka')) };
  const interrupted = fixture.start(undefined, { ...refusing([event.id]), sender });
  await fixture.has(event);
  await interrupted.stop();
  expect([await fixture.committed(), await fixture.deadLetters()]).toEqual([0, []]);

  const next = fixture.start(undefined, refusing([]));
  await until('it is committed', async () => (await fixture.committed()) === 1);
  await next.stop();
  expect(await fixture.deadLetters()).toMatchObject([{ eventId: event.id, error: reason }]);
  expect(await fixture.handled()).toEqual([event.id]);

  // The same if it ends between the letter and the offset: it is one letter.
  await fixture.reset();
  fixture.start(undefined, refusing([]));
  await until('it is committed again', async () => (await fixture.committed()) === 1);
  expect(await fixture.deadLetters()).toHaveLength(1);
  expect(await fixture.handled()).toEqual([event.id]);
});
