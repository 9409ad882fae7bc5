import { randomUUID } from 'node:crypto';
import { deleteOldEventIds } from '@store/shared/messaging/consumer/processed-events';
import { createLog } from '@store/shared/observability/log';
import { register } from 'prom-client';
import { brokers, createTopic } from '../../../../tests/kit/kafka/topic.ts';
import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { eventsOf, tea } from '../_app.ts';
import { events, eventsByKind, eventTime, handledAt, openSaga, placedAt } from './_saga.ts';

const fixture = useDatabase('order').open(openSaga);

/** order_confirmation_seconds so far: how many orders, and how long they took together. */
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

  it('tells the owner which products were missing, and of other cancellations nothing about stock', async () => {
    const [rejected, released, cancelled] = [await fixture.place(), await fixture.place(), await fixture.place()];
    await fixture.handle(events.StockRejected(rejected), events.StockReleased(released));
    await fixture.cancel(cancelled).expect(201);
    await fixture.handle(events.StockRejected(cancelled));
    expect(await fixture.cancellationOf(rejected)).toMatchObject({ missing: [{ productId: tea, quantity: 2 }] });
    for (const id of [released, cancelled]) expect(await fixture.cancellationOf(id)).not.toHaveProperty('missing');
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

  it.each(['OrderPaid', 'StockRejected', 'StockReleased'] as const)('ignores %s of a CONFIRMED order', async (kind) => {
    const id = await fixture.place();
    await fixture.handle(events.OrderPaid(id));
    await fixture.prisma
      .$executeRaw`update orders set updated_at = ${placedAt}, paid_at = ${placedAt} where id = ${id}::uuid`;
    const before = await fixture.stateOf(id);
    await fixture.handle(events[kind](id));
    expect(await fixture.stateOf(id)).toEqual(before);
  });

  it.each(eventsByKind)('keeps an order cancelled by its owner on %s', async (kind, event) => {
    const id = await fixture.place();
    await fixture.cancel(id).expect(201);
    const before = await fixture.stateOf(id);
    await fixture.handle(event(id));
    const paid = kind === 'OrderPaid' ? { paidAt: eventTime.toISOString(), updatedAt: handledAt.toISOString() } : {};
    expect(await fixture.stateOf(id)).toEqual({ ...before, ...paid });
    expect(await fixture.cancelReasonOf(id)).toBe('cancelled by the customer');
  });

  it.each(eventsByKind)('ignores %s of a paid order cancelled by its owner', async (_, event) => {
    const id = await fixture.place();
    await fixture.handle(events.OrderPaid(id));
    await fixture.cancel(id).expect(201);
    const before = await fixture.stateOf(id);
    await fixture.handle(event(id));
    expect(await fixture.stateOf(id)).toEqual(before);
  });

  it('keeps the times of a shipped order when events are repeated under new ids', async () => {
    const id = await fixture.place();
    await fixture.handle(events.OrderPaid(id), events.OrderShipped(id));
    await fixture.prisma
      .$executeRaw`update orders set shipped_at = ${placedAt}, updated_at = ${placedAt} where id = ${id}::uuid`;
    const before = await fixture.stateOf(id);
    for (const [, event] of eventsByKind) await fixture.handle(event(id));
    expect(await fixture.stateOf(id)).toEqual(before);
  });

  it('records the payment of an order that its owner deleted', async () => {
    const id = await fixture.place();
    await fixture.remove(id).expect(204);
    await fixture.handle(events.OrderPaid(id));
    const row = await fixture.prisma.order.findUniqueOrThrow({ where: { id } });
    expect(row).toMatchObject({ status: 'CANCELLED', paidAt: eventTime });
  });

  it('publishes no events of its own and ignores unknown orders', async () => {
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

  it('has the ids of its events deleted after 30 days', async () => {
    await fixture.prisma.$executeRaw`
      insert into processed_events (consumer_group, event_id, processed_at)
      select 'old-group', gen_random_uuid(), now() - n * interval '10 days 1 hour' from generate_series(0, 6000) as n`;
    const broker = { brokers, clientId: 'order', log: createLog('order', 'silent') };
    expect(await deleteOldEventIds(fixture.kysely, broker, [await createTopic(3)])).toBe(5998);
    expect(await fixture.prisma.processedEvent.count({ where: { consumerGroup: 'old-group' } })).toBe(3);
  });
});
