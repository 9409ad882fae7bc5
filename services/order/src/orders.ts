import { createHash } from 'node:crypto';
import { newEvent } from '@store/shared/messaging/events';
import { DomainError } from '@store/shared/values/errors';
import { stringifyJson } from '@store/shared/values/json';
import { minorUnit, total } from '@store/shared/values/money';
import { type Line, mergeLines, type Order, type OrderStatus, priceLines, type StoredReply } from './order.ts';
import type { OrderRepository, OrderTransaction } from './order-repository.ts';
import type { ProductClient } from './product-client.ts';
import type { OrderIn, OrderQuery } from './schemas.ts';

interface Dependencies {
  repository: OrderRepository;
  products: ProductClient;
  /** ISO 4217 */
  currency: string;
  clock: () => Date;
  newId: () => string;
  /** The body that answers POST /orders: stored with an Idempotency-Key, so that a repeat gets the very same. */
  represent: (order: Order) => string;
}

const byCustomer = 'cancelled by the customer';

interface Cancelled {
  order: Order;
  /** False when it had been cancelled before. */
  isNew: boolean;
}

export type Orders = ReturnType<typeof createOrders>;

export function createOrders({ repository, products, currency, clock, newId, represent }: Dependencies) {
  const digits = minorUnit(currency);
  /** Keys whose first request is under way here. Between processes the database decides, when it stores. */
  const underWay = new Set<string>();

  async function create(accountId: string, request: OrderIn, key: string | undefined): Promise<StoredReply> {
    if (request.customerId !== undefined && request.customerId !== accountId) {
      throw new DomainError('forbidden', 'An order can be placed for your own account only.');
    }
    const lines = mergeLines(request.items);
    const requestHash = createHash('sha256').update(stringifyJson(request)).digest('base64url');
    if (key === undefined) return place(accountId, lines, requestHash, undefined);

    const stored = await repository.findReply(accountId, key, clock());
    if (stored !== undefined) return replay(stored, requestHash);
    const id = accountId + key;
    if (underWay.has(id)) throw stillRunning();
    underWay.add(id);
    try {
      return await place(accountId, lines, requestHash, key);
    } finally {
      underWay.delete(id);
    }
  }

  async function place(
    accountId: string,
    lines: Line[],
    requestHash: string,
    key: string | undefined,
  ): Promise<StoredReply> {
    const items = priceLines(lines, await products.prices(lines.map(({ productId }) => productId)));
    const now = clock();
    const order: Order = {
      id: newId(),
      accountId,
      status: 'PENDING',
      total: total(items, currency, digits),
      items,
      createdAt: now,
      updatedAt: now,
    };
    const reply: StoredReply = {
      requestHash,
      location: `/orders/${order.id}`,
      body: represent(order),
      replayed: false,
    };
    const event = newEvent(newId(), 'OrderCreated', {
      orderId: order.id,
      customerId: accountId,
      timestamp: now.toISOString(),
      items: lines,
      total: order.total,
    });
    const outcome = await repository.insert(order, event, key === undefined ? undefined : { key, ...reply });
    if (outcome === 'stored') return reply;
    const first = outcome === 'repeated' ? await repository.findReply(accountId, key ?? '', now) : undefined;
    if (first !== undefined) return replay(first, requestHash);
    throw stillRunning();
  }

  async function get(accountId: string, orderId: string): Promise<Order> {
    const order = await repository.find(accountId, orderId);
    if (order === undefined) throw notFound(orderId);
    return order;
  }

  /** Cancels what can be cancelled; what already is stays as it is (decisions 4, Cancelling). */
  async function cancel(tx: OrderTransaction, accountId: string, orderId: string): Promise<Cancelled | 'shipped'> {
    const order = await tx.findForUpdate(accountId, orderId);
    if (order === undefined) throw notFound(orderId);
    if (order.status === 'CANCELLED') return { order, isNew: false };
    if (order.shippedAt) return 'shipped';
    const now = clock();
    const change = { status: 'CANCELLED', updatedAt: now, cancelledAt: now, cancelReason: byCustomer } as const;
    await tx.update(orderId, change);
    await tx.append(
      newEvent(newId(), 'OrderCancelled', {
        orderId,
        customerId: accountId,
        timestamp: now.toISOString(),
        reason: byCustomer,
      }),
    );
    return { order: { ...order, ...change }, isNew: true };
  }

  const cancelOrRefuse = (accountId: string, orderId: string): Promise<Cancelled> =>
    repository.transaction(async (tx) => {
      const result = await cancel(tx, accountId, orderId);
      if (result !== 'shipped') return result;
      throw new DomainError('conflict', 'The order has been shipped and can no longer be cancelled.', {
        code: 'order-shipped',
      });
    });

  return {
    create,
    get,
    list: (accountId: string, query: OrderQuery) => repository.list(accountId, query),

    async cancellation(accountId: string, orderId: string) {
      const { cancelledAt, cancelReason } = await get(accountId, orderId);
      if (!cancelledAt) throw new DomainError('notFound', 'The order is not cancelled.');
      return { orderId, cancelledAt: cancelledAt.toISOString(), reason: cancelReason ?? '' };
    },

    cancel: cancelOrRefuse,

    /** PATCH: the one status that a customer may set. */
    async change(accountId: string, orderId: string, status: OrderStatus): Promise<Order> {
      if (status === 'CANCELLED') return (await cancelOrRefuse(accountId, orderId)).order;
      await get(accountId, orderId);
      throw new DomainError('ruleBroken', `An order cannot be set to ${status}, only to CANCELLED.`, {
        code: 'status-not-settable',
      });
    },

    /** Cancelled where it still can be, and gone for its owner. */
    remove: (accountId: string, orderId: string): Promise<void> =>
      repository.transaction(async (tx) => {
        await cancel(tx, accountId, orderId);
        await tx.update(orderId, { deletedAt: clock() });
      }),
  };
}

function replay(stored: StoredReply, requestHash: string): StoredReply {
  if (stored.requestHash === requestHash) return { ...stored, replayed: true };
  throw new DomainError('ruleBroken', 'This Idempotency-Key was used for another request.', {
    code: 'idempotency-key-reused',
  });
}

const stillRunning = () =>
  new DomainError('conflict', 'The first request with this Idempotency-Key is still running.', {
    code: 'idempotency-key-in-use',
    retryAfterSeconds: 1,
  });

const notFound = (orderId: string) => new DomainError('notFound', `There is no order ${orderId}.`);
