import { type EventKind, newEvent, type Payload, type StoredEvent } from '@store/shared/messaging/events';
import type { Money } from '@store/shared/values/money';
import type { Item, Reservation, ReservationTransaction } from './reservation-repository.ts';

interface Dependencies {
  newId: () => string;
  clock: () => Date;
}

export interface OrderRef {
  orderId: string;
  customerId: string;
}

export interface Demand extends OrderRef {
  /** Each product once. */
  items: Item[];
  total: Money;
}

export type Reservations = ReturnType<typeof createReservations>;

/**
 * What happens to the stock of an order (contract 6.1). Every function first locks the reservation and looks at its
 * state: late and repeated events change nothing.
 */
export function createReservations({ newId, clock }: Dependencies) {
  const event = <K extends EventKind>(kind: K, payload: Payload<K>): StoredEvent => newEvent(newId(), kind, payload);

  async function release(
    tx: ReservationTransaction,
    { orderId, customerId, items }: Reservation,
    reason: string,
  ): Promise<void> {
    const now = clock();
    await tx.lockStock(items.map(({ productId }) => productId));
    await tx.addStock(items);
    await tx.setStatus(orderId, 'RELEASED', now);
    const timestamp = now.toISOString();
    await tx.append([event('StockReleased', { orderId, customerId, timestamp, items, reason })]);
  }

  return {
    /** Reserves all items or none. A product without a stock does not exist: it was deleted after it was ordered. */
    async reserve(tx: ReservationTransaction, { orderId, customerId, items, total }: Demand): Promise<void> {
      const now = clock();
      const times = { createdAt: now, updatedAt: now };
      if (!(await tx.insert({ orderId, customerId, status: 'RESERVED', items, ...times }))) return;
      const common = { orderId, customerId, timestamp: now.toISOString() };
      const available = await tx.lockStock(items.map(({ productId }) => productId));
      const lacking = items
        .map(({ productId, quantity }) => ({ productId, quantity: quantity - (available.get(productId) ?? 0) }))
        .filter(({ quantity }) => quantity > 0);
      if (lacking.length > 0) {
        await tx.setStatus(orderId, 'REJECTED', now);
        const isGone = lacking.some(({ productId }) => !available.has(productId));
        const reason = isGone ? 'product no longer exists' : 'out of stock';
        await tx.append([event('StockRejected', { ...common, items: lacking, reason })]);
        return;
      }
      await tx.addStock(items.map(({ productId, quantity }) => ({ productId, quantity: -quantity })));
      await tx.append([event('StockReserved', { ...common, items, total })]);
    },

    /** What was reserved has left: it does not return to the stock, whatever comes later. */
    async settle(tx: ReservationTransaction, { orderId, shipmentId }: { orderId: string; shipmentId: string }) {
      await tx.settle(orderId, shipmentId, clock());
    },

    async releaseUnpaid(tx: ReservationTransaction, { orderId }: OrderRef): Promise<void> {
      const reservation = await tx.findForUpdate(orderId);
      if (reservation?.status === 'RESERVED') await release(tx, reservation, 'payment failed');
    },

    /** If it precedes OrderCreated, it records the order so that nothing is reserved. */
    async releaseCancelled(tx: ReservationTransaction, { orderId, customerId }: OrderRef, reason: string) {
      const now = clock();
      const nothing = { orderId, customerId, items: [], createdAt: now, updatedAt: now };
      let reservation = await tx.findForUpdate(orderId);
      if (reservation === undefined) {
        if (await tx.insert({ ...nothing, status: 'RELEASED' })) return;
        reservation = await tx.findForUpdate(orderId);
      }
      if (reservation?.status === 'RESERVED') await release(tx, reservation, reason);
    },
  };
}
