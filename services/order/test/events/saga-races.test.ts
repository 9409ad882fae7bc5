import { eventsOf } from '../_app.ts';
import { createFixture, events, eventTime, type Fixture } from './_saga.ts';

let fixture: Fixture;

beforeAll(async () => {
  fixture = await createFixture();
});
afterAll(() => fixture.close());

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
