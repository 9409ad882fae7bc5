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

  it('says which events of an order it has not followed yet', async () => {
    const id = await fixture.place();
    const [paid, shipped] = [events.OrderPaid(id), events.OrderShipped(id)];
    await fixture.handle(paid);
    expect(await fixture.behind(id, [paid.id, shipped.id])).toEqual([shipped.id]);
    await fixture.handle(shipped);
    expect(await fixture.behind(id, [paid.id, shipped.id])).toEqual([]);
    expect(await fixture.behind(id, [])).toEqual([]);
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

  const refunded = (amount: number) => ({ refunded: { amount, currency: 'USD' } });

  it('adds up what the customer gets back in parts, up to the total', async () => {
    const id = await fixture.place();
    await fixture.handle(events.OrderPaid(id));
    expect(await fixture.paymentOf(id)).toEqual({ status: 'paid', ...refunded(0), version: 2 });
    const part = events.RefundIssued(id);
    await fixture.handle(part);
    await fixture.handle(part);
    expect(await fixture.paymentOf(id)).toEqual({ status: 'partially-refunded', ...refunded(2.5), version: 3 });
    await fixture.handle(events.RefundIssued(id, 6.5));
    expect(await fixture.paymentOf(id)).toEqual({ status: 'refunded', ...refunded(9), version: 4 });
    await fixture.handle(events.RefundIssued(id));
    expect(await fixture.paymentOf(id)).toEqual({ status: 'refunded', ...refunded(9), version: 4 });
    expect(await fixture.stateOf(id)).toMatchObject({ status: 'CONFIRMED' });
  });

  it('shows the payment of a cancelled order as paid until the rest of it has been returned', async () => {
    const id = await fixture.place();
    await fixture.handle(events.OrderPaid(id));
    await fixture.handle(events.RefundIssued(id));
    await fixture.cancel(id).expect(201);
    expect(await fixture.paymentOf(id)).toMatchObject({ status: 'partially-refunded', ...refunded(2.5) });
    await fixture.handle(events.PaymentRefunded(id));
    expect(await fixture.paymentOf(id)).toMatchObject({ status: 'refunded', ...refunded(9) });
    for (const late of [events.PaymentRefunded(id), events.RefundIssued(id)]) await fixture.handle(late);
    expect(await fixture.paymentOf(id)).toMatchObject({ status: 'refunded', ...refunded(9) });
  });

  it.each<[string, (keyof typeof events)[], boolean, object]>([
    ['pending', [], false, refunded(0)],
    ['paid', ['OrderPaid'], false, refunded(0)],
    ['failed', ['StockReleased'], false, refunded(0)],
    ['cancelled', ['StockRejected'], false, refunded(0)],
    ['cancelled', [], true, refunded(0)],
    ['paid', ['OrderPaid'], true, refunded(0)],
  ])('shows its payment as %s after %j, cancelled by its owner: %j', async (status, kinds, isCancelled, rest) => {
    const id = await fixture.place();
    for (const kind of kinds) await fixture.handle(events[kind](id));
    if (isCancelled) await fixture.cancel(id).expect(201);
    expect(await fixture.paymentOf(id)).toMatchObject({ status, ...rest });
  });

  it('shows the payment of an order as paid that was cancelled while it was charged, until it is returned', async () => {
    const id = await fixture.place();
    await fixture.cancel(id).expect(201);
    await fixture.handle(events.OrderPaid(id));
    expect(await fixture.paymentOf(id)).toMatchObject({ status: 'paid', ...refunded(0) });
    await fixture.handle(events.PaymentRefunded(id));
    expect(await fixture.paymentOf(id)).toMatchObject({ status: 'refunded', ...refunded(9) });
  });

  it('shows a payment as returned if its order was paid and cancelled before refunds were recorded', async () => {
    const [cancelled, confirmed] = [await fixture.place(), await fixture.place()];
    for (const id of [cancelled, confirmed]) await fixture.handle(events.OrderPaid(id));
    await fixture.cancel(cancelled).expect(201);
    await fixture.prisma.$executeRaw`update orders set refunded = null`;
    expect(await fixture.paymentOf(cancelled)).toMatchObject({ status: 'refunded', ...refunded(9) });
    expect(await fixture.paymentOf(confirmed)).toMatchObject({ status: 'paid', ...refunded(0) });
    await fixture.handle(events.RefundIssued(confirmed));
    expect(await fixture.paymentOf(confirmed)).toMatchObject({ status: 'partially-refunded', ...refunded(2.5) });
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
