import { stringifyJson } from '@store/shared/values/json';
import type { Order } from './order.ts';
import type { OrderOut } from './schemas.ts';

/** The representation of an order (contract 4.5). */
export function toOrderOut(order: Order): OrderOut {
  const { currency } = order.total;
  return {
    id: order.id,
    customerId: order.accountId,
    status: order.status,
    total: order.total,
    items: order.items.map(({ productId, quantity, unitPrice }) => ({
      productId,
      quantity,
      unitPrice: { amount: unitPrice, currency },
    })),
    createdAt: order.createdAt.toISOString(),
    updatedAt: order.updatedAt.toISOString(),
    ...(order.paidAt ? { paidAt: order.paidAt.toISOString() } : {}),
    ...(order.shippedAt ? { shippedAt: order.shippedAt.toISOString() } : {}),
    ...(order.cancelledAt ? { cancelledAt: order.cancelledAt.toISOString() } : {}),
  };
}

/** The same as JSON, of which its entity tag is made. */
export const orderJson = (order: Order): string => stringifyJson(toOrderOut(order));
