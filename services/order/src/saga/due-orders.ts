import type { Database } from '@store/shared/database/database';
import { newEvent, type StoredEvent } from '@store/shared/messaging/events';
import { appendToOutbox } from '@store/shared/messaging/outbox/append';
import { inSpan } from '@store/shared/observability/trace-context';
import { Counter } from 'prom-client';
import type { PrismaClient } from '../generated/client.ts';
import { sagaOn } from './saga-repository.ts';

const timedOut = new Counter({
  name: 'orders_timed_out_total',
  help: 'Orders that were cancelled because they were PENDING for too long.',
});

const reason = 'not confirmed in time';

interface Dependencies {
  inTransaction: Database<PrismaClient>['inTransaction'];
  clock: () => Date;
  /** How long an order may be PENDING (contract 6.1). */
  pendingTimeoutMs: number;
}

/** Creates functions that change at most `limit` due orders, and return their number. */
export function createDueOrders({ inTransaction, clock, pendingTimeoutMs }: Dependencies) {
  return {
    /**
     * Ships orders that are paid for long enough (contract 6.1). Shipping and cancelling change the same row, so an order is never both
     * cancelled and shipped.
     */
    ship: (shipAfterMs: number, limit: number): Promise<number> =>
      inTransaction(async (tx) => {
        const now = clock();
        const shipped = await sagaOn(tx).shipPaid(new Date(now.getTime() - shipAfterMs), now, limit);
        const events: StoredEvent[] = [];
        for (const { traceparent, ...ids } of shipped) {
          const payload = { ...ids, timestamp: now.toISOString() };
          const span = { name: 'ship', kind: 'internal', parent: traceparent } as const;
          events.push(await inSpan(span, async () => newEvent('OrderShipped', payload)));
        }
        if (events.length > 0) appendToOutbox(tx, ...events);
        return shipped.length;
      }),

    /**
     * Cancels orders that are PENDING for too long. As after a cancellation by the owner, all steps of the saga that were or
     * will be taken for the order are compensated.
     */
    async cancelTimedOut(limit: number): Promise<number> {
      const cancelled = await inTransaction(async (tx) => {
        const now = clock();
        const orders = await sagaOn(tx).cancelPlaced(new Date(now.getTime() - pendingTimeoutMs), reason, now, limit);
        const timestamp = now.toISOString();
        const events = orders.map(({ orderId, customerId }) =>
          newEvent('OrderCancelled', { orderId, customerId, timestamp, reason }),
        );
        if (events.length > 0) appendToOutbox(tx, ...events);
        return orders.length;
      });
      timedOut.inc(cancelled);
      return cancelled;
    },
  };
}
