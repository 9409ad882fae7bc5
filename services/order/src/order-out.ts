import { stringifyJson } from '@store/shared/values/json';
import type { NewOrder } from './order.ts';
import type { OrderOut } from './schemas.ts';

/** The representation of an order that has just been placed, as `orderJson` (order-repository.ts) writes it later. */
export function newOrderJson({ id, accountId, total, items, createdAt }: NewOrder): string {
  const { currency } = total;
  const order: OrderOut = {
    id,
    customerId: accountId,
    status: 'PENDING',
    total,
    items: items.map(({ productId, quantity, unitPrice }) => ({
      ...{ productId, quantity },
      unitPrice: { amount: unitPrice, currency },
    })),
    createdAt: createdAt.toISOString(),
    updatedAt: createdAt.toISOString(),
    version: 1,
  };
  return stringifyJson(order);
}
