import { newEvent, type StoredEvent } from '@store/shared/messaging/events';
import { inSpan } from '@store/shared/observability/trace-context';
import { Counter } from 'prom-client';
import type { SagaRepository } from './saga-repository.ts';

const timedOut = new Counter({
  name: 'orders_timed_out_total',
  help: 'Orders that were cancelled because they were PENDING for too long.',
});

const reason = 'not confirmed in time';

interface Dependencies {
  repository: SagaRepository;
  newId: () => string;
  clock: () => Date;
  /** From payment to shipment (contract 6.1). */
  shipAfterMs: number;
  /** How long an order may be PENDING (contract 6.1). */
  pendingTimeoutMs: number;
}

export type DueOrders = ReturnType<typeof createDueOrders>;

/** Makes the functions for orders whose time has come, each for at most `limit` of them. They return how many. */
export function createDueOrders({ repository, newId, clock, shipAfterMs, pendingTimeoutMs }: Dependencies) {
  return {
    /** The order's row decides: whoever cancels it changes the same row, so an order is never both cancelled and shipped. */
    ship: (limit: number): Promise<number> =>
      repository.transaction(async (tx) => {
        const now = clock();
        const shipped = await tx.shipPaid(new Date(now.getTime() - shipAfterMs), now, limit);
        const events: StoredEvent[] = [];
        for (const { traceparent, ...order } of shipped) {
          const payload = { ...order, timestamp: now.toISOString(), shipmentId: newId() };
          const span = { name: 'ship', kind: 'internal', parent: traceparent } as const;
          events.push(await inSpan(span, async () => newEvent(newId(), 'OrderShipped', payload)));
        }
        if (events.length > 0) await tx.append(events);
        return shipped.length;
      }),

    /**
     * Cancels what is PENDING for too long, as its owner could: whatever has happened for the order, or happens later, is
     * compensated.
     */
    async cancelTimedOut(limit: number): Promise<number> {
      const cancelled = await repository.transaction(async (tx) => {
        const now = clock();
        const orders = await tx.cancelPlaced(new Date(now.getTime() - pendingTimeoutMs), reason, now, limit);
        const timestamp = now.toISOString();
        const events = orders.map((order) => newEvent(newId(), 'OrderCancelled', { ...order, timestamp, reason }));
        if (events.length > 0) await tx.append(events);
        return orders.length;
      });
      timedOut.inc(cancelled);
      return cancelled;
    },
  };
}
