import type { ConsumerGroup } from '@store/shared/messaging/consumer/handle-once';
import { type OrderEvent, PoisonError } from '@store/shared/messaging/events';
import type { DB } from './generated/tables.ts';
import type { OrderClient, OrderDemand } from './order-client.ts';
import { type Item, reservationsOn } from './reservation-repository.ts';
import type { Demand, Reservations } from './reservations.ts';
import type { Stock } from './stock.ts';

interface Dependencies {
  stock: Stock;
  orders: OrderClient;
  reservations: Reservations;
}

type Created = OrderEvent<'OrderCreated'>['payload'];

/** Inventory's steps of the saga (contract 6.1). */
export function createSaga({ stock, orders, reservations }: Dependencies): ConsumerGroup<DB, Demand | undefined> {
  /** What orders demand, by order id. The order service is asked for what their events leave out (contract 6.3). */
  async function demandsOf(created: Created[]): Promise<Map<string, Demand>> {
    const terse = created.filter(({ items, total }) => items === undefined || total === undefined);
    const asked = await orders.demands(terse.map(({ orderId }) => orderId));
    return new Map(created.map((payload) => [payload.orderId, demandOf(payload, asked.get(payload.orderId))]));
  }

  return {
    name: 'inventory-group',
    kinds: ['OrderCreated', 'PaymentFailed', 'OrderCancelled', 'OrderShipped'],
    chunkSize: 100,

    /** What each OrderCreated demands, once its products have a stock, but for those that do not exist. */
    async prepare(events) {
      const demands = await demandsOf(
        events.flatMap(({ event }) => (event.kind === 'OrderCreated' ? event.payload : [])),
      );
      await stock.introduce([...demands.values()].flatMap(({ items }) => items.map(({ productId }) => productId)));
      return events.map(({ event: { kind, payload } }) =>
        kind === 'OrderCreated' ? demands.get(payload.orderId) : undefined,
      );
    },

    handle: (events, tx) => reservations.handle(events, reservationsOn(tx)),
  };
}

/**
 * Merges items of the same product.
 * @throws PoisonError if neither the event nor the order service knows what is demanded, or a sum is too large to count
 */
function demandOf({ orderId, ...given }: Created, asked: OrderDemand | undefined): Demand {
  const { items = asked?.items, total = asked?.total } = given;
  if (items === undefined || total === undefined)
    throw new PoisonError(`OrderCreated has no items or no total, and there is no order ${orderId}.`);
  const quantities = new Map<string, number>();
  for (const { productId, quantity } of items) quantities.set(productId, (quantities.get(productId) ?? 0) + quantity);
  const merged = [...quantities].map(([productId, quantity]): Item => ({ productId, quantity }));
  const tooMany = merged.find(({ quantity }) => !Number.isSafeInteger(quantity));
  if (tooMany !== undefined) throw new PoisonError(`The quantities of product ${tooMany.productId} are too large.`);
  return { items: merged, total };
}
