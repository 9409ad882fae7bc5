import type { Address } from '@store/shared/contracts/address';
import type { orderOut, orderStatuses } from '@store/shared/contracts/order';
import type { ProductForSale } from '@store/shared/contracts/product-client';
import { DomainError, invalidFields } from '@store/shared/values/errors';
import { stringifyJson } from '@store/shared/values/json';
import type { Decimal, Money } from '@store/shared/values/money';
import type { z } from 'zod';

export type OrderStatus = (typeof orderStatuses)[number];

/** Limit for one product in one order (contract 4.5). */
export const maxQuantity = 10_000;

export const cancelledByCustomer = 'cancelled by the customer';
/** What the customer is told in place of the operator's own words, which no event may have. */
export const cancelledByStore = 'cancelled by the store';

export interface Line {
  productId: string;
  quantity: number;
}

export interface PricedLine extends Line {
  /** The product's. */
  name: string;
  unitPrice: Decimal;
}

/** Fields of order_details, which few orders have; no event may have them, since topics outlive accounts. */
export interface Details {
  shippingAddress?: Address | undefined;
  /** Sorted by key. */
  metadata?: Record<string, string> | undefined;
}

/** An order as it is placed: PENDING. */
export interface NewOrder extends Details {
  id: string;
  accountId: string;
  total: Money;
  items: PricedLine[];
  createdAt: Date;
}

/** An order as it is stored. */
export interface Order {
  id: string;
  status: OrderStatus;
  shippedAt: Date | null;
  cancelledAt: Date | null;
  cancelReason: string | null;
  /** Products that the stock lacked, if it was cancelled for that. */
  missing: Line[] | null;
  /** Counts the changes of its representation, from 1. */
  version: number;
  /** Its representation (contract 4.5). */
  json: string;
}

/** How long a reply is kept (contract 4.7). */
export const replyLifetimeHours = 24;

/** The answer to a request with an Idempotency-Key. */
export interface StoredReply {
  requestHash: string;
  location: string;
  /** JSON */
  body: string;
  replayed: boolean;
}

/**
 * Merges lines of the same product.
 * @throws DomainError invalid if a sum exceeds the limit
 */
export function mergeLines(lines: Line[]): Line[] {
  const quantities = new Map<string, number>();
  for (const { productId, quantity } of lines) quantities.set(productId, (quantities.get(productId) ?? 0) + quantity);
  const tooMany = [...quantities].find(([, quantity]) => quantity > maxQuantity);
  if (tooMany !== undefined) {
    const message = `product ${tooMany[0]} is ordered ${tooMany[1]} times, at most ${maxQuantity} are allowed`;
    throw invalidFields({ path: 'body.items', message });
  }
  return [...quantities].map(([productId, quantity]) => ({ productId, quantity }));
}

/**
 * Prices every line.
 * @throws DomainError invalid if a product is not in the catalogue (contract 4.5)
 */
export function priceLines(lines: Line[], products: Map<string, ProductForSale>): PricedLine[] {
  const unknown = lines.filter(({ productId }) => !products.has(productId)).map(({ productId }) => productId);
  if (unknown.length > 0) {
    throw new DomainError('invalid', `There is no product ${unknown.join(', ')}.`, {
      code: 'unknown-product',
      errors: unknown.map((id) => ({ path: 'body.items', message: `there is no product ${id}` })),
    });
  }
  return lines.flatMap((line) => {
    const product = products.get(line.productId);
    return product === undefined ? [] : [{ ...line, name: product.name, unitPrice: product.price }];
  });
}

const itemsOut = (items: PricedLine[], currency: string) =>
  items.map(({ productId, name, quantity, unitPrice }) => ({
    productId,
    name,
    quantity,
    unitPrice: { amount: unitPrice, currency },
  }));

/** The representation of an order that has just been placed, as `orderJson` (order-repository.ts) writes it later. */
export function newOrderJson(placed: NewOrder): string {
  const { id, accountId, total, items, createdAt, shippingAddress = null, metadata = null } = placed;
  const order: z.input<typeof orderOut> = {
    id,
    customerId: accountId,
    status: 'PENDING',
    total,
    items: itemsOut(items, total.currency),
    createdAt: createdAt.toISOString(),
    updatedAt: createdAt.toISOString(),
    version: 1,
    shippingAddress,
    metadata,
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
