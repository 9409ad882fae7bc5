import { eventsOf } from '../_app.ts';
import { createFixture, events, eventTime, type Fixture } from './_saga.ts';

let fixture: Fixture;

beforeAll(async () => {
  fixture = await createFixture();
});
afterAll(() => fixture.close());

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

it.each(all)('an order is either shipped or cancelled, with its times, after %s', async (_names, order) => {
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
