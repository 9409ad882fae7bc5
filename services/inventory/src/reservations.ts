import { paymentFailed } from '@store/shared/contracts/order';
import type { Transaction } from '@store/shared/database/transaction';
import type { NewEvent, Refuse } from '@store/shared/messaging/consumer/group';
import {
  type EventKind,
  newEvent,
  type OrderEvent,
  type Payload,
  PoisonError,
  type StoredEvent,
} from '@store/shared/messaging/events';
import { appendToOutbox } from '@store/shared/messaging/outbox/append';
import { runInTrace } from '@store/shared/observability/trace-context';
import { unavailable, unreachable } from '@store/shared/values/errors';
import type { Money } from '@store/shared/values/money';
import {
  type Item,
  type Reservation,
  reservationsOn,
  type StatusChange,
  type Taken,
} from './reservation-repository.ts';

interface Dependencies {
  clock: () => Date;
  /** Called with products whose stock was lost. */
  forget(productIds: string[]): void;
  /** Percentage of a product's stock that an account's orders of one hour may take; 0: no limit. */
  percentPerAccount: number;
}

const hourMs = 3_600_000;
/** Pieces that an account may take of any stock, so that a customer can buy the last two. */
const alwaysAllowed = 10;

export interface Demand {
  /** Each product once. */
  items: Item[];
  total: Money;
  /** Passed on to payment. */
  taxes: Payload<'StockReserved'>['taxes'];
  /** Whether the order service has a token that the order is paid with. Passed on to payment. */
  hasToken: Payload<'StockReserved'>['hasToken'];
  /** Products that the product service does not know. They may be those of other orders. */
  nonexistent: ReadonlySet<string>;
  /** True if the order service knows the order. It is asked only if the event is incomplete or a product does not exist. */
  isOrdered: boolean;
}

export const kinds = ['OrderCreated', 'PaymentFailed', 'OrderCancelled', 'OrderShipped'] as const;
export type Kind = (typeof kinds)[number];

/** OrderCreated carries the demand of its order. */
type Demanded = NewEvent<Demand | undefined, Kind>;

/** An event whose order has a RESERVED reservation, which the event confirms, rejects, releases or ships. */
interface Step extends Demanded {
  reservation: Reservation;
}

export type HandleReservations = ReturnType<typeof createReservations>;

/** Decides what happens to the stock of orders (contract 6.1). */
export function createReservations({ clock, forget, percentPerAccount }: Dependencies) {
  /**
   * Decides steps one after another.
   * @param available pieces of each product of the steps
   * @param taken pieces of these products that other orders of the same customers have taken
   * @throws PoisonError if a product and its order do not exist, DomainError unavailable if a stock was lost
   * @returns changed statuses and stock, and events to publish
   */
  function decide(steps: Step[], available: ReadonlyMap<string, number>, taken: Taken[], now: Date, refuse: Refuse) {
    const timestamp = now.toISOString();
    const statuses: StatusChange[] = [];
    const stock = new Map<string, number>();
    const events: StoredEvent[] = [];
    const availableNow = (productId: string) => stock.get(productId) ?? available.get(productId) ?? 0;
    const announce = <K extends EventKind>(kind: K, payload: Payload<K>) => events.push(newEvent(kind, payload));

    const shares = new Map(taken.map((share) => [share.customerId + share.productId, { ...share }]));
    function shareOf(customerId: string, productId: string): Taken {
      const share = shares.get(customerId + productId) ?? { customerId, productId, quantity: 0, reserved: 0 };
      shares.set(customerId + productId, share);
      return share;
    }

    /**
     * Number of pieces beyond what the customer's orders of one hour may take. Released pieces count, because the customer
     * could otherwise hold the stock by ordering and cancelling in turns.
     */
    function excess(customerId: string, { productId, quantity }: Item): number {
      if (percentPerAccount === 0) return 0;
      const share = shareOf(customerId, productId);
      const all = availableNow(productId) + share.reserved;
      const allowed = Math.max(Math.ceil((percentPerAccount * all) / 100), alwaysAllowed);
      return Math.min(share.quantity + quantity - allowed, quantity);
    }

    /** Reserves all items or none. A product without stock was deleted after it was ordered, never existed, or lost its stock. */
    function reserve(event: OrderEvent, { orderId, customerId }: Reservation, demand: Demand): void {
      const { items, total, taxes, hasToken } = demand;
      const common = { orderId, customerId, timestamp };
      const lacking = items
        .map(({ productId, quantity }) => ({ productId, quantity: quantity - availableNow(productId) }))
        .filter(({ quantity }) => quantity > 0);
      const reject = (missing: Item[], reason: string): void => {
        statuses.push({ orderId, status: 'REJECTED' });
        announce('StockRejected', { ...common, items: missing, reason });
      };
      if (lacking.length > 0) {
        const withoutStock = lacking.map(({ productId }) => productId).filter((id) => !available.has(id));
        if (withoutStock.length > 0) refuseWithoutStock(event, demand, withoutStock);
        reject(lacking, withoutStock.length > 0 ? 'product no longer exists' : 'out of stock');
        return;
      }
      const tooMany = items
        .map((item) => ({ productId: item.productId, quantity: excess(customerId, item) }))
        .filter(({ quantity }) => quantity > 0);
      if (tooMany.length > 0) {
        reject(tooMany, 'limit per customer reached');
        return;
      }
      for (const { productId, quantity } of items) {
        stock.set(productId, availableNow(productId) - quantity);
        const share = shareOf(customerId, productId);
        share.quantity += quantity;
        share.reserved += quantity;
      }
      announce('StockReserved', { ...common, items, total, taxes, hasToken });
    }

    function refuseWithoutStock(event: OrderEvent, { nonexistent, isOrdered }: Demand, lacking: string[]): void {
      const lost = lacking.filter((productId) => !nonexistent.has(productId));
      if (lost.length > 0) {
        // On retry, `prepare` gives them their initial stock.
        forget(lost);
        throw unavailable(`The stock of product ${lost.join(', ')}`);
      }
      const problem = `There is no product ${lacking.join(', ')}`;
      if (!isOrdered) throw new PoisonError(`${problem}, and no order ${event.payload.orderId}.`);
      refuse(event, `${problem}: the order was rejected.`);
    }

    function release({ orderId, customerId, items }: Reservation, reason: string): void {
      for (const { productId, quantity } of items) {
        stock.set(productId, availableNow(productId) + quantity);
        // `taken` has no orders older than an hour, so releasing one must not make this negative.
        const share = shareOf(customerId, productId);
        share.reserved = Math.max(share.reserved - quantity, 0);
      }
      statuses.push({ orderId, status: 'RELEASED' });
      announce('StockReleased', { orderId, customerId, timestamp, items, reason });
    }

    for (const { event, prepared, trace, reservation } of steps) {
      runInTrace(trace, () => {
        switch (event.kind) {
          case 'OrderCreated':
            if (prepared !== undefined) reserve(event, reservation, prepared);
            break;
          case 'PaymentFailed':
            release(reservation, paymentFailed);
            break;
          case 'OrderCancelled':
            release(reservation, event.payload.reason);
            break;
          case 'OrderShipped': {
            // Shipped items never return to the stock, whichever event comes later.
            const { orderId, shipmentId } = event.payload;
            statuses.push({ orderId, status: 'SHIPPED', shipmentId });
            break;
          }
          default:
            unreachable(event);
        }
      });
    }
    return { statuses, stock, events };
  }

  /** Handles events of different orders together. Late and repeated events change nothing. */
  return async (delivered: Demanded[], tx: Transaction, refuse: Refuse): Promise<void> => {
    const [on, now] = [reservationsOn(tx), clock()];
    const steps = await openSteps(delivered, on, now);
    const moving = steps.filter(({ event }) => event.kind !== 'OrderShipped');
    const productIds = moving.flatMap(({ reservation }) => reservation.items.map(({ productId }) => productId));
    const available = productIds.length > 0 ? await on.lockStock(productIds) : new Map<string, number>();
    const beginning = percentPerAccount === 0 ? [] : steps.filter(({ prepared }) => prepared !== undefined);
    const taken =
      beginning.length > 0
        ? await on.taken({
            customerIds: beginning.map(({ reservation }) => reservation.customerId),
            productIds,
            since: new Date(now.getTime() - hourMs),
            except: beginning.map(({ reservation }) => reservation.orderId),
          })
        : [];
    const { statuses, stock, events } = decide(steps, available, taken, now, refuse);
    if (statuses.length > 0) on.setStatuses(statuses, now);
    if (stock.size > 0) on.setStock([...stock].map(([productId, available]) => ({ productId, available })));
    if (events.length > 0) appendToOutbox(tx, ...events);
  };
}

/** Locks the reservations of all orders, including new ones, which it inserts. */
async function openSteps(delivered: Demanded[], on: ReturnType<typeof reservationsOn>, now: Date): Promise<Step[]> {
  const beginning = delivered.flatMap(initialReservation);
  const inserted = new Set(beginning.length > 0 ? await on.insertMissing(beginning, now) : []);
  const known = delivered.map(({ event }) => event.payload.orderId).filter((orderId) => !inserted.has(orderId));
  const reservations = [
    ...beginning.filter(({ orderId }) => inserted.has(orderId)),
    ...(known.length > 0 ? await on.lock(known) : []),
  ];
  const reserved = new Map(
    reservations.filter(({ status }) => status === 'RESERVED').map((reservation) => [reservation.orderId, reservation]),
  );
  return delivered.flatMap((demanded) => {
    const { kind, payload } = demanded.event;
    const reservation = reserved.get(payload.orderId);
    if (reservation === undefined) return [];
    const isRepeated = kind === 'OrderCreated' && !inserted.has(payload.orderId);
    return isRepeated ? [] : [{ ...demanded, reservation }];
  });
}

/**
 * An order begins as RESERVED, before the same transaction checks the stock. A cancellation that arrives before
 * OrderCreated stores the order as RELEASED, so that nothing is reserved later.
 */
function initialReservation({ event: { kind, payload }, prepared }: Demanded): Reservation[] {
  const { orderId, customerId } = payload;
  if (prepared !== undefined) return [{ orderId, customerId, status: 'RESERVED', items: prepared.items }];
  return kind === 'OrderCancelled' ? [{ orderId, customerId, status: 'RELEASED', items: [] }] : [];
}
