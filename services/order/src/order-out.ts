import { DomainError } from '@store/shared/values/errors';
import { stringifyJson } from '@store/shared/values/json';
import type { Money } from '@store/shared/values/money';
import type { NewOrder, PricedLine } from './order.ts';
import type { OrderOut } from './schemas.ts';

const itemsOut = (items: PricedLine[], currency: string) =>
  items.map(({ productId, quantity, unitPrice }) => ({
    productId,
    quantity,
    unitPrice: { amount: unitPrice, currency },
  }));

/** The representation of an order that has just been placed, as `orderJson` (order-repository.ts) writes it later. */
export function newOrderJson({ id, accountId, total, items, createdAt }: NewOrder): string {
  const order: OrderOut = {
    id,
    customerId: accountId,
    status: 'PENDING',
    total,
    items: itemsOut(items, total.currency),
    createdAt: createdAt.toISOString(),
    updatedAt: createdAt.toISOString(),
    version: 1,
  };
  return stringifyJson(order);
}

/** @throws DomainError conflict with what the order costs, if its customer expects something else (contract 4.5) */
export function mustCost(expected: Money | undefined, total: Money, items: PricedLine[]): void {
  if (expected === undefined || (expected.currency === total.currency && expected.amount.equals(total.amount))) return;
  throw new DomainError('conflict', `The total is ${inWords(total)}, not ${inWords(expected)}.`, {
    code: 'price-changed',
    priced: { total, items: itemsOut(items, total.currency) },
  });
}

const inWords = ({ amount, currency }: Money) => `${amount.toFixed()} ${currency}`;
