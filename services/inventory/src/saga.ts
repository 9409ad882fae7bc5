import type { ConsumerGroup } from '@store/shared/messaging/consumer/handle-once';
import { type OrderEvent, PoisonError } from '@store/shared/messaging/events';
import type { DB } from './generated/tables.ts';
import { type Item, reservationsOn } from './reservation-repository.ts';
import type { Demand, Reservations } from './reservations.ts';
import type { Stock } from './stock.ts';

/** Inventory's steps of the saga (contract 6.1). */
export function createSaga(stock: Stock, reservations: Reservations): ConsumerGroup<DB, Demand | undefined> {
  return {
    name: 'inventory-group',
    kinds: ['OrderCreated', 'PaymentFailed', 'OrderCancelled', 'OrderShipped'],
    chunkSize: 100,

    /** What each OrderCreated demands, once its products have a stock, but for those that do not exist. */
    async prepare(events) {
      const demands = events.map(({ event }) => (event.kind === 'OrderCreated' ? demandOf(event.payload) : undefined));
      await stock.introduce(demands.flatMap((demand) => demand?.items.map(({ productId }) => productId) ?? []));
      return demands;
    },

    handle: (events, tx) => reservations.handle(events, reservationsOn(tx)),
  };
}

/**
 * Merges items of the same product.
 * @throws PoisonError if items or total are missing (contract 6.3), or a sum is too large to count
 */
function demandOf({ items, total }: OrderEvent<'OrderCreated'>['payload']): Demand {
  if (items === undefined || total === undefined) throw new PoisonError('OrderCreated has no items or no total.');
  const quantities = new Map<string, number>();
  for (const { productId, quantity } of items) quantities.set(productId, (quantities.get(productId) ?? 0) + quantity);
  const merged = [...quantities].map(([productId, quantity]): Item => ({ productId, quantity }));
  const tooMany = merged.find(({ quantity }) => !Number.isSafeInteger(quantity));
  if (tooMany !== undefined) throw new PoisonError(`The quantities of product ${tooMany.productId} are too large.`);
  return { items: merged, total };
}
