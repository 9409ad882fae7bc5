import { type ConsumerGroup, handleEach } from '@store/shared/messaging/consumer/handle-once';
import { type OrderEvent, PoisonError } from '@store/shared/messaging/events';
import type { DB } from './generated/tables.ts';
import { type Item, type ReservationTransaction, reservationsOn } from './reservation-repository.ts';
import type { Demand, Reservations } from './reservations.ts';
import type { Stock } from './stock.ts';

/** Inventory's steps of the saga (contract 6.1). */
export function createSaga(stock: Stock, reservations: Reservations): ConsumerGroup<DB, Demand | undefined> {
  return {
    name: 'inventory-group',
    chunkSize: 1, // different orders lock the same stock

    /** What OrderCreated demands, once each of its products has a stock, but for those that do not exist. */
    async prepare(event) {
      if (event.kind !== 'OrderCreated') return undefined;
      const demand = demandOf(event.payload);
      await stock.introduce(demand.items.map(({ productId }) => productId));
      return demand;
    },

    ...handleEach<DB, ReservationTransaction, Demand | undefined>(
      {
        async OrderCreated(_event, tx, demand) {
          if (demand !== undefined) await reservations.reserve(tx, demand);
        },
        PaymentFailed: ({ payload }, tx) => reservations.releaseUnpaid(tx, payload),
        OrderCancelled: ({ payload }, tx) => reservations.releaseCancelled(tx, payload, payload.reason),
        OrderShipped: ({ payload }, tx) => reservations.settle(tx, payload),
      },
      reservationsOn,
    ),
  };
}

/**
 * Merges items of the same product.
 * @throws PoisonError if items or total are missing (contract 6.3), or a sum is too large to count
 */
function demandOf({ orderId, customerId, items, total }: OrderEvent<'OrderCreated'>['payload']): Demand {
  if (items === undefined || total === undefined) throw new PoisonError('OrderCreated has no items or no total.');
  const quantities = new Map<string, number>();
  for (const { productId, quantity } of items) quantities.set(productId, (quantities.get(productId) ?? 0) + quantity);
  const merged = [...quantities].map(([productId, quantity]): Item => ({ productId, quantity }));
  const tooMany = merged.find(({ quantity }) => !Number.isSafeInteger(quantity));
  if (tooMany !== undefined) throw new PoisonError(`The quantities of product ${tooMany.productId} are too large.`);
  return { orderId, customerId, items: merged, total };
}
