import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { seededRandom } from '../../../../tests/kit/random.ts';
import { eventsOf } from '../_app.ts';
import { events, eventsByKind, eventTime, openSaga } from './_saga.ts';

const fixture = useDatabase('order').open(openSaga);

describe('cancellation by the owner', () => {
  it('concurrent with OrderPaid leaves the order CANCELLED and paid, in any order', async () => {
    const ids = await fixture.placeAll(20);
    await Promise.all(ids.flatMap((id) => [fixture.handle(events.OrderPaid(id)), fixture.cancel(id).expect(201)]));
    for (const id of ids) {
      expect(await fixture.stateOf(id)).toMatchObject({ status: 'CANCELLED', paidAt: eventTime.toISOString() });
      expect(await eventsOf(fixture.prisma, id)).toEqual(['OrderCreated', 'OrderCancelled']);
    }
  });

  it('concurrent with OrderShipped leaves the order either cancelled or shipped', async () => {
    const ids = await fixture.placeAll(20);
    const outcomes = await Promise.all(
      ids.map(async (id) => {
        const [{ status }] = await Promise.all([fixture.cancel(id), fixture.handle(events.OrderShipped(id))]);
        const { status: state, shippedAt } = await fixture.stateOf(id);
        return `${status} ${state} ${shippedAt !== undefined}`;
      }),
    );
    for (const outcome of outcomes) expect(['409 PENDING true', '201 CANCELLED false']).toContain(outcome);
  });

  it('concurrent with StockRejected and StockReleased cancels the order once', async () => {
    const ids = await fixture.placeAll(20);
    await Promise.all(
      ids.flatMap((id) => [
        fixture.handle(events.StockRejected(id)),
        fixture.handle(events.StockReleased(id)),
        fixture.cancel(id),
      ]),
    );
    for (const id of ids) {
      const isByOwner = (await fixture.cancelReasonOf(id)) === 'cancelled by the customer';
      expect(await eventsOf(fixture.prisma, id)).toEqual(['OrderCreated', ...(isByOwner ? ['OrderCancelled'] : [])]);
    }
  });
});

/** Steps that can follow for a placed order. Events are repeated with the same id, as after a rebalance or by a redrive. */
const steps = {
  OrderPaid: handled('OrderPaid'),
  StockReleased: handled('StockReleased'),
  OrderShipped: handled('OrderShipped'),
  cancellation: (id: string) => fixture.cancel(id),
  shipper: () => fixture.ship(),
};
type Step = keyof typeof steps;

function handled(kind: keyof typeof events) {
  return async (id: string) => {
    const event = events[kind](id);
    await fixture.handle(event);
    await fixture.handle(event, events[kind](id));
  };
}

const permutations = (items: Step[]): Step[][] =>
  items.length === 0
    ? [[]]
    : items.flatMap((item) => permutations(items.filter((other) => other !== item)).map((rest) => [item, ...rest]));

it.each(permutations(Object.keys(steps) as Step[]))(
  'an order is either shipped or cancelled, with its times, after %s, %s, %s, %s, %s',
  async (...order) => {
    const id = await fixture.place();
    let before = await fixture.stateOf(id);
    for (const step of order) {
      await steps[step](id);
      const now = await fixture.stateOf(id);
      const { shippedAt, cancelledAt, paidAt } = before;
      expect(now).toMatchObject(JSON.parse(JSON.stringify({ shippedAt, cancelledAt, paidAt })));
      expect([now.shippedAt, now.cancelledAt]).toContain(undefined);
      if (step === 'OrderShipped') expect(now.shippedAt ?? now.cancelledAt).toBeDefined();
      expect(now.status === 'CANCELLED').toBe(now.cancelledAt !== undefined);
      before = now;
    }
    const isShipped = before.shippedAt !== undefined;
    const status = isShipped ? 'CONFIRMED' : 'CANCELLED';
    expect(before).toMatchObject({ status, paidAt: eventTime.toISOString() });
    const announced = await eventsOf(fixture.prisma, id);
    expect(announced).not.toContain(isShipped ? 'OrderCancelled' : 'OrderShipped');
    expect(new Set(announced).size).toBe(announced.length);
  },
);

const outcomesOf = (ids: string[]) =>
  Promise.all(ids.map(async (id) => [await fixture.stateOf(id), await fixture.cancelReasonOf(id)]));

it.each([1, 2, 3])('a chunk of events has the same result as the events one by one (seed %i)', async (seed) => {
  const random = seededRandom(seed);
  const [together, alone] = [await fixture.placeAll(15), await fixture.placeAll(15)];
  for (const id of [...together.slice(0, 3), ...alone.slice(0, 3)]) await fixture.cancel(id).expect(201);
  const steps = Array.from({ length: 45 }, () => ({ order: random(15), kind: random(eventsByKind.length) }));
  const eventsOf = (ids: string[]) =>
    steps.map(({ order, kind }) => eventsByKind[kind]?.[1](ids[order] ?? '') ?? events.OrderPaid(''));
  await fixture.handle(...eventsOf(together));
  for (const event of eventsOf(alone)) await fixture.handle(event);
  const outcomes = await outcomesOf(together);
  expect(outcomes).toEqual(await outcomesOf(alone));
  expect(new Set(outcomes.map((outcome) => JSON.stringify(outcome))).size).toBeGreaterThan(3);
});
