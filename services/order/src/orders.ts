import { randomUUID } from 'node:crypto';
import { recordChange } from '@store/shared/database/audit';
import type { Database } from '@store/shared/database/database';
import type { TransactionOf } from '@store/shared/database/transaction';
import { entityTag, mustBeVersion, mustMatch } from '@store/shared/http/precondition';
import { newEvent } from '@store/shared/messaging/events';
import { appendToOutbox } from '@store/shared/messaging/outbox/append';
import { DomainError, found, unreachable } from '@store/shared/values/errors';
import type { PrismaClient } from './generated/client.ts';
import type { OrderListRepository } from './lists/order-list-repository.ts';
import {
  cancelledByCustomer,
  cancelledByStore,
  type Order,
  type StoredOrder,
  toOrderJson,
  versionOf,
} from './order.ts';
import { lockOrder, type OrderRepository } from './order-repository.ts';
import { insertNote, isAccountDeleted } from './records/order-note-repository.ts';
import type { OrderChange, OrderQuery } from './schemas.ts';

interface Dependencies {
  transactionOf: Database<PrismaClient>['transactionOf'];
  repository: OrderRepository;
  lists: OrderListRepository;
  clock: () => Date;
}

interface Cancelled {
  order: Order;
  /** False if the order was already cancelled. */
  isNew: boolean;
}

/** The state that the client has seen, if the request names it. */
interface Seen {
  ifMatch?: string | undefined;
  version?: OrderChange['version'];
}

export type Orders = ReturnType<typeof createOrders>;

export function createOrders({ transactionOf, repository, lists, clock }: Dependencies) {
  const get = async (accountId: string, orderId: string): Promise<StoredOrder> =>
    found(await repository.find(accountId, orderId), `order ${orderId}`);

  async function lockOwn(
    tx: TransactionOf<PrismaClient>,
    accountId: string,
    orderId: string,
    seen: Seen,
  ): Promise<StoredOrder> {
    const order = found(await repository.lock(tx, accountId, orderId), `order ${orderId}`);
    mustMatch(seen.ifMatch, entityTag(toOrderJson(order)));
    mustBeVersion(seen.version, versionOf(order));
    return order;
  }

  /** Cancels an order if it is neither cancelled nor shipped (contract 4.6). */
  async function cancel(
    tx: TransactionOf<PrismaClient>,
    order: StoredOrder,
    reason: string,
  ): Promise<Cancelled | 'shipped'> {
    switch (order.status) {
      case 'CANCELLED':
        return { order, isNew: false };
      case 'PENDING':
      case 'CONFIRMED':
        if (order.shippedAt) return 'shipped';
        break;
      default:
        unreachable(order.status);
    }
    const { id: orderId, accountId: customerId } = order;
    const now = clock();
    const cancelled = await repository.cancel(tx, order, now, reason);
    appendToOutbox(tx, newEvent('OrderCancelled', { orderId, customerId, timestamp: now.toISOString(), reason }));
    return { order: cancelled, isNew: true };
  }

  async function cancelOrRefuse(
    tx: TransactionOf<PrismaClient>,
    order: StoredOrder,
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
    getJson: async (accountId: string, orderId: string): Promise<string> =>
      found(await repository.findJson(accountId, orderId), `order ${orderId}`),

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

    /** Cancels any customer's order for an operator. The reason becomes a note, which the customer never sees. */
    cancelForStore: (actor: string, orderId: string, reason: string): Promise<Cancelled> =>
      transactionOf(actor, async (tx) => {
        const order = found(await lockOrder(tx, orderId), `order ${orderId}`);
        const result = await cancelOrRefuse(tx, order, cancelledByStore);
        if (!result.isNew) return result;
        if (!(await isAccountDeleted(tx, order)))
          await insertNote(tx, order, { id: randomUUID(), kind: 'CANCELLATION', actor, text: reason });
        const before = JSON.stringify({ status: order.status });
        const after = JSON.stringify({ status: 'CANCELLED', reason });
        recordChange(tx, { actor, kind: 'order', subject: orderId, before, after });
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

    /** Cancels the order if that is still possible, and hides it from the owner. */
    remove: (accountId: string, orderId: string, ifMatch?: string): Promise<void> =>
      transactionOf(accountId, async (tx) => {
        await cancel(tx, await lockOwn(tx, accountId, orderId, { ifMatch }), cancelledByCustomer);
        await repository.markDeleted(tx, orderId, clock());
      }),
  };
}
