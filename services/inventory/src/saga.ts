import type { ConsumerGroup } from '@store/shared/messaging/consumer/consumer';
import { type OrderEvent, PoisonError } from '@store/shared/messaging/events';
import type { Item, ReservationTransaction } from './reservation-repository.ts';
import type { Demand, Reservations } from './reservations.ts';
import type { Stock } from './stock.ts';

type Saga = Pick<ConsumerGroup<ReservationTransaction, Demand | undefined>, 'handlers' | 'prepare'>;

/** Inventory's steps in the life of an order (decisions 5). */
export function createSaga(stock: Stock, reservations: Reservations): Saga {
  return {
    /** What OrderCreated demands, every product of it with a stock. */
    async prepare(event) {
      if (event.kind !== 'OrderCreated') return undefined;
      const demand = demandOf(event.payload);
      const unknown = await stock.introduce(demand.items.map(({ productId }) => productId));
      if (unknown.length > 0) throw new PoisonError(`There is no product ${unknown.join(', ')}.`);
      return demand;
    },

    handlers: {
      async OrderCreated(_event, tx, demand) {
        if (demand !== undefined) await reservations.reserve(tx, demand);
      },
      OrderPaid: ({ payload }, tx) => reservations.planShipment(tx, payload),
      PaymentFailed: ({ payload }, tx) => reservations.releaseUnpaid(tx, payload),
      OrderCancelled: ({ payload }, tx) => reservations.releaseCancelled(tx, payload, payload.reason),
    },
  };
}

/**
 * The same product twice is one item.
 * @throws PoisonError where items or total are left out (decisions 5), or are too many to be counted
 */
function demandOf({ orderId, customerId, items, total }: OrderEvent<'OrderCreated'>['payload']): Demand {
  if (items === undefined || total === undefined) throw new PoisonError('OrderCreated has no items or no total.');
  const quantities = new Map<string, number>();
  for (const { productId, quantity } of items) quantities.set(productId, (quantities.get(productId) ?? 0) + quantity);
  const merged = [...quantities].map(([productId, quantity]): Item => ({ productId, quantity }));
  const countless = merged.find(({ quantity }) => !Number.isSafeInteger(quantity));
  if (countless !== undefined) throw new PoisonError(`Product ${countless.productId} is demanded too many times.`);
  return { orderId, customerId, items: merged, total };
}
