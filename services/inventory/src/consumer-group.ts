import type { ConsumerGroup } from '@store/shared/messaging/consumer/group';
import { type OrderEvent, PoisonError } from '@store/shared/messaging/events';
import type { PrismaClient } from './generated/client.ts';
import type { OrderClient, OrderDemand } from './order-client.ts';
import type { Item } from './reservation-repository.ts';
import { type Demand, type HandleReservations, type Kind, kinds } from './reservations.ts';
import type { Stock } from './stock.ts';

interface Dependencies {
  stock: Stock;
  orders: OrderClient;
  handle: HandleReservations;
}

type Created = OrderEvent<'OrderCreated'>['payload'];

/** Inventory's steps of the saga (contract 6.1). */
export function createConsumerGroup({
  stock,
  orders,
  handle,
}: Dependencies): ConsumerGroup<PrismaClient, Demand | undefined, Kind> {
  return {
    name: 'inventory-group',
    kinds,
    chunkSize: 100,

    /** Gives new products their initial stock if they exist, and returns the demand of each OrderCreated. */
    async prepare(events) {
      const created = events.flatMap(({ event }) => (event.kind === 'OrderCreated' ? event.payload : []));
      // The order service is asked for items and totals that events omit (contract 6.3), and below whether orders of
      // nonexistent products exist.
      const incomplete = created.filter(({ items, total }) => items === undefined || total === undefined);
      const ordered = await orders.demands(incomplete.map(({ orderId }) => orderId));
      const demands = new Map(
        created.map((payload) => [payload.orderId, demandOf(payload, ordered.get(payload.orderId))]),
      );
      const nonexistent = await stock.addMissing(
        [...demands.values()].flatMap(({ items }) => items.map(({ productId }) => productId)),
      );
      const unconfirmed = [...demands].filter(
        ([orderId, { items }]) => !ordered.has(orderId) && items.some(({ productId }) => nonexistent.has(productId)),
      );
      const confirmed = await orders.demands(unconfirmed.map(([orderId]) => orderId));
      return events.map(({ event: { kind, payload } }) => {
        const { orderId } = payload;
        const demand = kind === 'OrderCreated' ? demands.get(orderId) : undefined;
        return demand && { ...demand, nonexistent, isOrdered: ordered.has(orderId) || confirmed.has(orderId) };
      });
    },

    handle,
  };
}

/**
 * Merges items of the same product.
 * @throws PoisonError if the items or the total are neither in the event nor known to the order service, or if the
 *   quantities of a product add up to more than a safe integer
 */
function demandOf(
  { orderId, taxes, hasToken, ...given }: Created,
  asked: OrderDemand | undefined,
): Pick<Demand, 'items' | 'total' | 'taxes' | 'hasToken'> {
  const { items = asked?.items, total = asked?.total } = given;
  if (items === undefined || total === undefined)
    throw new PoisonError(`OrderCreated has no items or no total, and there is no order ${orderId}.`);
  const quantities = new Map<string, number>();
  for (const { productId, quantity } of items) quantities.set(productId, (quantities.get(productId) ?? 0) + quantity);
  const merged = [...quantities].map(([productId, quantity]): Item => ({ productId, quantity }));
  const tooMany = merged.find(({ quantity }) => !Number.isSafeInteger(quantity));
  if (tooMany !== undefined) throw new PoisonError(`The quantities of product ${tooMany.productId} are too large.`);
  return { items: merged, total, taxes, hasToken };
}
