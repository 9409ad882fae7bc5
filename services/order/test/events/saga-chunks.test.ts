import { seededRandom } from '../../../../tests/kit/random.ts';
import { createFixture, events, eventsByKind, type Fixture } from './_saga.ts';

let fixture: Fixture;

beforeAll(async () => {
  fixture = await createFixture();
});
afterAll(() => fixture.close());

const outcomesOf = (ids: string[]) =>
  Promise.all(ids.map(async (id) => [await fixture.stateOf(id), await fixture.cancelReasonOf(id)]));

describe('a chunk of events of the order saga', () => {
  it.each([1, 2, 3])('leads to what its events lead to one after another (seed %i)', async (seed) => {
    const random = seededRandom(seed);
    const place = () => Promise.all(Array.from({ length: 15 }, fixture.place));
    const [together, alone] = [await place(), await place()];
    for (let cancelled = 0; cancelled < 3; cancelled += 1) {
      await Promise.all([together, alone].map((ids) => fixture.cancel(ids[cancelled] ?? '').expect(201)));
    }
    const steps = Array.from({ length: 45 }, () => ({ order: random(15), kind: random(eventsByKind.length) }));
    const eventsOf = (ids: string[]) =>
      steps.map(({ order, kind }) => eventsByKind[kind]?.[1](ids[order] ?? '') ?? events.OrderPaid(''));
    await fixture.handle(...eventsOf(together));
    for (const event of eventsOf(alone)) await fixture.handle(event);
    const outcomes = await outcomesOf(together);
    expect(outcomes).toEqual(await outcomesOf(alone));
    expect(new Set(outcomes.map((outcome) => JSON.stringify(outcome))).size).toBeGreaterThan(3);
  });
});
