import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { seededRandom } from '../../../../tests/kit/random.ts';
import { eventsOf } from '../_app.ts';
import { events, eventsByKind, eventTime, openSaga } from './_saga.ts';

const fixture = useDatabase('order').open(openSaga);

describe('cancellation by the owner', () => {
  it('concurrent with OrderPaid leaves the order CANCELLED and paid, in any order', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, fixture.place));
    await Promise.all(ids.flatMap((id) => [fixture.handle(events.OrderPaid(id)), fixture.cancel(id).expect(201)]));
    for (const id of ids) {
      expect(await fixture.stateOf(id)).toMatchObject({ status: 'CANCELLED', paidAt: eventTime.toISOString() });
      expect(await eventsOf(fixture.prisma, id)).toEqual(['OrderCreated', 'OrderCancelled']);
    }
  });

  it('concurrent with OrderShipped leaves the order either cancelled or shipped', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, fixture.place));
    await fixture.handle(...ids.map((id) => events.OrderPaid(id)));
    const outcomes = ids.map(async (id) => {
      const [{ status }] = await Promise.all([fixture.cancel(id), fixture.handle(events.OrderShipped(id))]);
      const { status: state, shippedAt } = await fixture.stateOf(id);
      return { status, state, isShipped: shippedAt !== undefined };
    });
    for (const outcome of await Promise.all(outcomes)) {
      expect(outcome).toEqual(
        outcome.isShipped
          ? { status: 409, state: 'CONFIRMED', isShipped: true }
          : { status: 201, state: 'CANCELLED', isShipped: false },
      );
    }
  });

  it('concurrent with StockRejected and StockReleased cancels the order once', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, fixture.place));
    await Promise.all(
      ids.flatMap((id) => [
        fixture.handle(events.StockRejected(id)),
        fixture.handle(events.StockReleased(id)),
        fixture.cancel(id),
      ]),
    );
    for (const id of ids) {
      const reason = await fixture.cancelReasonOf(id);
      expect(await fixture.stateOf(id)).toMatchObject({ status: 'CANCELLED' });
      expect(await eventsOf(fixture.prisma, id)).toEqual(
        reason === 'cancelled by the customer' ? ['OrderCreated', 'OrderCancelled'] : ['OrderCreated'],
      );
    }
  });
});

/** Things that can happen to a placed order; events come again under their id, as after a rebalance or from a redrive. */
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

const all = permutations(Object.keys(steps) as Step[]).map((order) => [order.join(', '), order] as const);

describe('an order', () => {
  it.each(all)('is either shipped or cancelled, with its times, after %s', async (_names, order) => {
    const id = await fixture.place();
    let before = await fixture.stateOf(id);
    for (const step of order) {
      await steps[step](id);
      const now = await fixture.stateOf(id);
      expect(now).toMatchObject({
        ...(before.shippedAt && { shippedAt: before.shippedAt }),
        ...(before.cancelledAt && { cancelledAt: before.cancelledAt, status: 'CANCELLED' }),
        ...(before.paidAt && { paidAt: before.paidAt }),
      });
      expect([now.shippedAt, now.cancelledAt]).toContain(undefined);
      if (step === 'OrderShipped') expect(now.shippedAt ?? now.cancelledAt).toBeDefined();
      expect(now.status === 'CANCELLED').toBe(now.cancelledAt !== undefined);
      before = now;
    }
    expect(before).toMatchObject({
      status: before.shippedAt ? 'CONFIRMED' : 'CANCELLED',
      paidAt: eventTime.toISOString(),
      [before.shippedAt ? 'shippedAt' : 'cancelledAt']: expect.any(String),
    });
    const announced = await eventsOf(fixture.prisma, id);
    expect(announced).not.toContain(before.shippedAt ? 'OrderCancelled' : 'OrderShipped');
    expect(new Set(announced).size).toBe(announced.length);
  });
});

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
