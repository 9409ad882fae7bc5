import { randomUUID } from 'node:crypto';
import { processEvents } from '@store/shared/messaging/consumer/process';
import { Decimal } from '@store/shared/values/money';
import request from 'supertest';
import { receivedEvent, storedEvent } from '../../../../tests/kit/kafka/order-events.ts';
import { createConsumerGroup } from '../../src/saga/consumer-group.ts';
import { createDueOrders } from '../../src/saga/due-orders.ts';
import { alice, as, tea, testApp } from '../_app.ts';

/** The clock of the application. */
export const placedAt = new Date('2026-03-04T05:06:07.089Z');
/** The timestamp in the events. */
export const eventTime = new Date('2026-03-04T05:06:08.500Z');
/** The clock of the saga. */
export const handledAt = new Date('2026-03-04T05:06:09.001Z');

const items = [{ productId: tea, quantity: 2 }];
const common = (orderId: string) => ({ orderId, customerId: alice, timestamp: eventTime.toISOString() });
const amount = { amount: new Decimal(9), currency: 'USD' };

/** New events of the kinds that the saga handles. */
export const events = {
  OrderPaid: (id: string) => storedEvent('OrderPaid', { ...common(id), paymentId: randomUUID(), amount }),
  /** Without a reason, as releases before 0.2.0 published it. */
  StockRejected: (id: string, reason?: string) => storedEvent('StockRejected', { ...common(id), items, reason }),
  StockReleased: (id: string) => storedEvent('StockReleased', { ...common(id), items, reason: 'payment failed' }),
  RefundIssued: (id: string, part = 2.5) =>
    storedEvent('RefundIssued', {
      ...common(id),
      refundId: randomUUID(),
      paymentId: randomUUID(),
      amount: { amount: new Decimal(part), currency: 'USD' },
    }),
  PaymentRefunded: (id: string) => storedEvent('PaymentRefunded', { ...common(id), paymentId: randomUUID(), amount }),
  /** As inventory published it in release 0.1.0. */
  OrderShipped: (id: string) => storedEvent('OrderShipped', { ...common(id), shipmentId: randomUUID() }),
};
export const eventsByKind = Object.entries(events);

const shipAfterMs = 60_000;
export const pendingTimeoutMs = 900_000;
/** The time at which an order that was paid at `eventTime` is due to ship. */
export const dueTime = new Date(eventTime.getTime() + shipAfterMs);

/** The application and its consumer group on a database, without a broker. */
export function openSaga(databaseUrl: string) {
  const { app, database, prisma, empty, close } = testApp(databaseUrl, { clock: () => placedAt });
  const group = createConsumerGroup(() => handledAt);
  const dueAt = (now: Date, { inTransaction } = database) => {
    const { ship, cancelTimedOut } = createDueOrders({ inTransaction, clock: () => now, pendingTimeoutMs });
    return { ship: (limit: number) => ship(shipAfterMs, limit), cancelTimedOut };
  };
  const customer = as(alice, { app });
  /** Places an order and returns its id. */
  const place = async (): Promise<string> => (await customer.place({ items }).expect(201)).body.id;

  return {
    prisma,
    database,
    empty,
    close,
    /** The functions for orders that are due at a time. */
    dueAt,
    ship: (limit = 100) => dueAt(dueTime).ship(limit),
    /** Cancels orders that are PENDING for too long. */
    timeOut: (limit = 100) => dueAt(new Date(placedAt.getTime() + pendingTimeoutMs)).cancelTimedOut(limit),
    handle: (...stored: ReturnType<typeof storedEvent>[]) => processEvents(group, database, stored.map(receivedEvent)),

    place,
    placeAll: (count: number) => Promise.all(Array.from({ length: count }, place)),
    cancel: customer.cancel,
    remove: customer.remove,

    /** The status and the times of an order, as its owner sees them. */
    async stateOf(id: string) {
      const { status, createdAt, updatedAt, paidAt, shippedAt, cancelledAt } = (await customer.get(id)).body;
      return { status, createdAt, updatedAt, paidAt, shippedAt, cancelledAt };
    },
    paymentOf: async (id: string) => {
      const { payment, version } = (await customer.get(id)).body;
      return { ...payment, version };
    },
    /** Which of the events the order has not followed, as the service says that sends webhooks. */
    async behind(id: string, eventIds: string[]): Promise<string[]> {
      const query = [`id=${id}`, ...eventIds.map((eventId) => `event=${eventId}`)].join('&');
      const { body } = await request(app).get(`/internal/shown-orders?${query}`).expect(200);
      expect(body.orders).toMatchObject([{ id }]);
      return body.behind;
    },
    cancellationOf: async (id: string) => (await customer.cancellation(id)).body,
    async cancelReasonOf(id: string): Promise<string> {
      return (await this.cancellationOf(id)).reason;
    },
  };
}
