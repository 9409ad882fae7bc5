import { newEvent, type StoredEvent } from '@store/shared/messaging/events';
import { inSpan } from '@store/shared/observability/trace-context';
import type { SagaRepository } from './saga-repository.ts';

interface Dependencies {
  repository: SagaRepository;
  newId: () => string;
  clock: () => Date;
  /** From payment to shipment (contract 6.1). */
  shipAfterMs: number;
}

export type DueOrders = ReturnType<typeof createDueOrders>;

/** What is done for orders when their time has come, each at most `limit` of them. They return how many. */
export function createDueOrders({ repository, newId, clock, shipAfterMs }: Dependencies) {
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
  };
}
