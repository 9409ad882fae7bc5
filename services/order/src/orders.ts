import { createHash, randomUUID } from 'node:crypto';
import type { ProductClient } from '@store/shared/contracts/product-client';
import { recordChange } from '@store/shared/database/audit';
import type { Database } from '@store/shared/database/database';
import type { TransactionOf } from '@store/shared/database/transaction';
import { entityTag, mustBeVersion, mustMatch } from '@store/shared/http/precondition';
import { newEvent } from '@store/shared/messaging/events';
import { appendToOutbox } from '@store/shared/messaging/outbox/append';
import { DomainError, found, unreachable } from '@store/shared/values/errors';
import { type Money, total } from '@store/shared/values/money';
import type { AuthClient } from './auth-client.ts';
import type { PrismaClient } from './generated/client.ts';
import {
  cancelledByCustomer,
  cancelledByStore,
  type Line,
  mergeLines,
  mustCost,
  type NewOrder,
  newOrderJson,
  type Order,
  type PricedLine,
  priceLines,
  type StoredReply,
} from './order.ts';
import type { OrderListRepository } from './order-list-repository.ts';
import { insertNote, isAccountDeleted } from './order-note-repository.ts';
import { type LockedOrder, lockOrder, type OrderRepository } from './order-repository.ts';
import type { OrderChange, OrderIn, OrderQuery } from './schemas.ts';

interface Dependencies {
  transactionOf: Database<PrismaClient>['transactionOf'];
  repository: OrderRepository;
  lists: OrderListRepository;
  products: ProductClient;
  /** Default: everybody may. */
  mayOrder?: AuthClient['mustBeConfirmed'] | undefined;
  /** ISO 4217 */
  currency: string;
  clock: () => Date;
}

interface Cancelled {
  /** The order's representation. */
  json: string;
  /** False if it was cancelled before. */
  isNew: boolean;
}

/** The state that the client has seen, if it says so. */
interface Seen {
  ifMatch?: string | undefined;
  version?: OrderChange['version'];
}

export type Orders = ReturnType<typeof createOrders>;

export function createOrders({ transactionOf, repository, lists, products, mayOrder, currency, clock }: Dependencies) {
  /** Keys whose first request is in flight in this process. Across processes the database decides when it stores. */
  const inFlight = new Set<string>();

  async function place(accountId: string, request: OrderIn, key: string | undefined): Promise<StoredReply> {
    if (request.customerId !== undefined && request.customerId !== accountId) {
      throw new DomainError('forbidden', 'An order can be placed for your own account only.');
    }
    await mayOrder?.(accountId);
    const lines = mergeLines(request.items);
    const requestHash = createHash('sha256').update(JSON.stringify(request)).digest('base64url');
    if (key === undefined) return priceAndStore(accountId, lines, request, requestHash, undefined);

    const id = accountId + key;
    if (inFlight.has(id)) throw stillRunning();
    inFlight.add(id);
    try {
      return await priceAndStore(accountId, lines, request, requestHash, key);
    } finally {
      inFlight.delete(id);
    }
  }

  /** The statement that stores the order finds out whether the key is used: most are new, and need no look-up of their own. */
  async function priceAndStore(
    accountId: string,
    lines: Line[],
    { expectedTotal, shippingAddress, metadata }: OrderIn,
    requestHash: string,
    key: string | undefined,
  ): Promise<StoredReply> {
    const firstReply = async (at: Date) => {
      const first = key === undefined ? undefined : await repository.findReply(accountId, key, at);
      return first && replay(first, requestHash);
    };
    let items: PricedLine[];
    let sum: Money;
    try {
      items = priceLines(lines, await products.find(lines.map(({ productId }) => productId)));
      sum = total(items, currency);
      mustCost(expectedTotal, sum, items);
    } catch (error) {
      // A repetition is answered as the first request was, whatever has become of the products and their prices.
      const first = await firstReply(clock());
      if (first !== undefined) return first;
      throw error;
    }
    const now = clock();
    const order: NewOrder = {
      id: randomUUID(),
      accountId,
      total: sum,
      items,
      createdAt: now,
      shippingAddress,
      metadata,
    };
    const reply: StoredReply = {
      requestHash,
      location: `/orders/${order.id}`,
      body: newOrderJson(order),
      replayed: false,
    };
    const event = newEvent('OrderCreated', {
      orderId: order.id,
      customerId: accountId,
      timestamp: now.toISOString(),
      items: lines,
      total: order.total,
    });
    // Stored for replicas of the previous release, which cannot derive the reply; it leaves out what is long or personal.
    const short = { ...order, items: [], shippingAddress: undefined, metadata: undefined };
    const kept = key === undefined ? undefined : { key, ...reply, body: newOrderJson(short) };
    const outcome = await repository.insert(order, event, kept);
    if (outcome === 'stored') return reply;
    const first = outcome === 'running' ? undefined : await firstReply(now);
    if (first !== undefined) return first;
    throw outcome === 'refused' ? tooManyCancellations() : stillRunning();
  }

  const get = async (accountId: string, orderId: string): Promise<Order> =>
    found(await repository.find(accountId, orderId), `order ${orderId}`);

  async function lockOwn(
    tx: TransactionOf<PrismaClient>,
    accountId: string,
    orderId: string,
    seen: Seen,
  ): Promise<LockedOrder> {
    const order = found(await repository.lock(tx, accountId, orderId), `order ${orderId}`);
    mustMatch(seen.ifMatch, entityTag(order.json));
    mustBeVersion(seen.version, order.version);
    return order;
  }

  /** Cancels an order if it is neither cancelled nor shipped (contract 4.6). */
  async function cancel(
    tx: TransactionOf<PrismaClient>,
    order: LockedOrder,
    reason: string,
  ): Promise<Cancelled | 'shipped'> {
    switch (order.status) {
      case 'CANCELLED':
        return { json: order.json, isNew: false };
      case 'PENDING':
      case 'CONFIRMED':
        if (order.shippedAt) return 'shipped';
        break;
      default:
        unreachable(order.status);
    }
    const { id: orderId, accountId: customerId } = order;
    const now = clock();
    const json = await repository.cancel(tx, orderId, now, reason);
    await appendToOutbox(tx, newEvent('OrderCancelled', { orderId, customerId, timestamp: now.toISOString(), reason }));
    return { json, isNew: true };
  }

  async function cancelOrRefuse(
    tx: TransactionOf<PrismaClient>,
    order: LockedOrder,
    reason: string,
  ): Promise<Cancelled> {
    const result = await cancel(tx, order, reason);
    if (result !== 'shipped') return result;
    throw new DomainError('conflict', 'The order has been shipped and can no longer be cancelled.', {
      code: 'order-shipped',
    });
  }

  const cancelOwn = (accountId: string, orderId: string, seen: Seen): Promise<Cancelled> =>
    transactionOf(accountId, async (tx) =>
      cancelOrRefuse(tx, await lockOwn(tx, accountId, orderId, seen), cancelledByCustomer),
    );

  return {
    place,
    get,
    list: (accountId: string, query: OrderQuery) => lists.page(accountId, query, clock()),

    async cancellation(accountId: string, orderId: string) {
      const { cancelledAt, cancelReason, missing } = await get(accountId, orderId);
      if (!cancelledAt) throw new DomainError('notFound', 'The order is not cancelled.');
      return {
        orderId,
        cancelledAt: cancelledAt.toISOString(),
        reason: cancelReason ?? '',
        missing: missing ?? undefined,
      };
    },

    cancel: (accountId: string, orderId: string) => cancelOwn(accountId, orderId, {}),

    /** Cancels an order of any customer as an operator, with the reason as a note, which the customer is not told. */
    cancelForStore: (actor: string, orderId: string, reason: string): Promise<Cancelled> =>
      transactionOf(actor, async (tx) => {
        const order = found(await lockOrder(tx, orderId), `order ${orderId}`);
        const result = await cancelOrRefuse(tx, order, cancelledByStore);
        if (!result.isNew) return result;
        if (!(await isAccountDeleted(tx, order)))
          await insertNote(tx, order, { id: randomUUID(), kind: 'CANCELLATION', actor, text: reason });
        const before = JSON.stringify({ status: order.status });
        const after = JSON.stringify({ status: 'CANCELLED', reason });
        await recordChange(tx, { actor, kind: 'order', subject: orderId, before, after });
        return result;
      }),

    /** CANCELLED is the only status that a customer may set. */
    async change(
      accountId: string,
      orderId: string,
      { status, version }: OrderChange,
      ifMatch?: string,
    ): Promise<Cancelled> {
      if (status === 'CANCELLED') return cancelOwn(accountId, orderId, { ifMatch, version });
      await get(accountId, orderId);
      throw new DomainError('ruleBroken', `An order cannot be set to ${status}, only to CANCELLED.`, {
        code: 'status-not-settable',
      });
    },

    /** Cancels the order if that is still possible, and hides it from its owner. */
    remove: (accountId: string, orderId: string, ifMatch?: string): Promise<void> =>
      transactionOf(accountId, async (tx) => {
        await cancel(tx, await lockOwn(tx, accountId, orderId, { ifMatch }), cancelledByCustomer);
        await repository.markDeleted(tx, orderId, clock());
      }),
  };
}

function replay(stored: StoredReply, requestHash: string): StoredReply {
  if (stored.requestHash === requestHash) return { ...stored, replayed: true };
  throw new DomainError('ruleBroken', 'This Idempotency-Key was used for another request.', {
    code: 'idempotency-key-reused',
  });
}

const tooManyCancellations = () =>
  new DomainError('rateLimited', 'Too many of your orders of the last hour were cancelled. Try again later.', {
    code: 'too-many-cancellations',
    retryAfterSeconds: 600,
  });

const stillRunning = () =>
  new DomainError('conflict', 'The first request with this Idempotency-Key is still running.', {
    code: 'idempotency-key-in-use',
    retryAfterSeconds: 1,
  });
