import { randomUUID } from 'node:crypto';
import { register } from 'prom-client';
import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { eventsOf, tea } from '../_app.ts';
import { events, eventsByKind, eventTime, handledAt, openSaga, placedAt } from './_saga.ts';

const fixture = useDatabase('order').open(openSaga);

beforeEach(() => fixture.empty());

/** Values of order_confirmation_seconds so far: the number of orders, and the sum of their times. */
async function confirmations(): Promise<[count: number, seconds: number]> {
  const text = await register.getSingleMetricAsString('order_confirmation_seconds');
  const [, seconds, count] = /_sum (\S+)\n.*_count (\S+)/.exec(text) ?? [];
  return [Number(count), Number(seconds)];
}

describe('order saga', () => {
  it('confirms an order on OrderPaid and ships it on OrderShipped, after which it cannot be cancelled', async () => {
    const id = await fixture.place();
    await fixture.handle(events.OrderPaid(id));
    const confirmed = {
      status: 'CONFIRMED',
      createdAt: placedAt.toISOString(),
      updatedAt: handledAt.toISOString(),
      paidAt: eventTime.toISOString(),
    };
    expect(await fixture.stateOf(id)).toEqual(confirmed);
    await fixture.handle(events.OrderShipped(id));
    expect(await fixture.stateOf(id)).toEqual({ ...confirmed, shippedAt: eventTime.toISOString() });
    await fixture.cancel(id).expect(409);
  });

  it.each([
    ['StockRejected', 'out of stock'],
    ['StockReleased', 'payment failed'],
    ['StockRejected', 'product no longer exists'],
  ] as const)('cancels a PENDING order on %s with the reason: %s', async (kind, reason) => {
    const id = await fixture.place();
    await fixture.handle(events[kind](id, reason === 'out of stock' ? undefined : reason));
    const at = handledAt.toISOString();
    expect(await fixture.stateOf(id)).toMatchObject({ status: 'CANCELLED', cancelledAt: at, updatedAt: at });
    expect(await fixture.cancelReasonOf(id)).toBe(reason);
  });

  it('tells the owner which products were missing, but only if that is why the order was cancelled', async () => {
    const [rejected, released, cancelled] = [await fixture.place(), await fixture.place(), await fixture.place()];
    await fixture.handle(events.StockRejected(rejected), events.StockReleased(released));
    await fixture.cancel(cancelled).expect(201);
    await fixture.handle(events.StockRejected(cancelled));
    expect(await fixture.cancellationOf(rejected)).toMatchObject({ missing: [{ productId: tea, quantity: 2 }] });
    for (const id of [released, cancelled]) expect(await fixture.cancellationOf(id)).not.toHaveProperty('missing');
  });

  const pay = (id: string) => fixture.handle(events.OrderPaid(id));
  const cancel = (id: string) => fixture.cancel(id).expect(201);
  it.each<[string, ((id: string) => PromiseLike<unknown>)[], (keyof typeof events)[]]>([
    ['CONFIRMED', [pay], ['OrderPaid', 'StockRejected', 'StockReleased']],
    ['cancelled by its owner', [cancel], ['StockRejected', 'StockReleased', 'OrderShipped']],
    ['paid and cancelled', [pay, cancel], ['OrderPaid', 'StockRejected', 'StockReleased', 'OrderShipped']],
    ['shipped', [pay, (id) => fixture.handle(events.OrderShipped(id))], ['OrderPaid', 'StockReleased', 'OrderShipped']],
  ])('does not change an order that is %s on events that do not apply', async (_, steps, kinds) => {
    const id = await fixture.place();
    for (const step of steps) await step(id);
    // Otherwise the events would set the times that the order already has.
    await fixture.prisma.$executeRaw`
      update orders set updated_at = ${placedAt}, paid_at = paid_at - interval '1 s',
        shipped_at = shipped_at - interval '1 s' where id = ${id}::uuid`;
    const before = [await fixture.stateOf(id), await fixture.cancelReasonOf(id)];
    for (const kind of kinds) await fixture.handle(events[kind](id));
    expect([await fixture.stateOf(id), await fixture.cancelReasonOf(id)]).toEqual(before);
  });

  it('records OrderShipped that precedes OrderPaid, after which the order is not cancelled', async () => {
    const id = await fixture.place();
    await fixture.handle(events.OrderShipped(id));
    await fixture.cancel(id).expect(409);
    await fixture.handle(events.StockReleased(id), events.OrderPaid(id));
    const at = eventTime.toISOString();
    expect(await fixture.stateOf(id)).toMatchObject({ status: 'CONFIRMED', paidAt: at, shippedAt: at });
    expect(await fixture.ship()).toBe(0);
  });

  it('records the payment of an order that its owner deleted', async () => {
    const id = await fixture.place();
    await fixture.remove(id).expect(204);
    await fixture.handle(events.OrderPaid(id));
    const row = await fixture.prisma.order.findUniqueOrThrow({ where: { id } });
    expect(row).toMatchObject({ status: 'CANCELLED', paidAt: eventTime, updatedAt: handledAt });
  });

  it('publishes no events itself, and ignores unknown orders', async () => {
    const id = await fixture.place();
    const count = await fixture.prisma.order.count();
    for (const [, event] of eventsByKind) await fixture.handle(event(id), event(randomUUID()));
    expect(await eventsOf(fixture.prisma, id)).toEqual(['OrderCreated']);
    expect(await fixture.prisma.order.count()).toBe(count);
  });

  it('measures the time to CONFIRMED of orders that were PENDING, once', async () => {
    const [pending, cancelled] = [await fixture.place(), await fixture.place()];
    await fixture.cancel(cancelled).expect(201);
    const [count, seconds] = await confirmations();
    await fixture.handle(events.OrderPaid(pending), events.OrderPaid(cancelled));
    await fixture.handle(events.OrderPaid(pending));
    const took = (handledAt.getTime() - placedAt.getTime()) / 1000;
    expect(await confirmations()).toEqual([count + 1, expect.closeTo(seconds + took)]);
  });
});
