import type { Address } from '@store/shared/contracts/address';
import {
  type orderOut,
  type orderPaymentStatuses,
  type orderStatuses,
  paymentFailed,
} from '@store/shared/contracts/order';
import type { ProductForSale } from '@store/shared/contracts/product-client';
import { DomainError, invalidFields } from '@store/shared/values/errors';
import { stringifyJson } from '@store/shared/values/json';
import { Decimal, fromMinorUnits, type Money, type pricedItem, toMinorUnits } from '@store/shared/values/money';
import { taxShares } from '@store/shared/values/tax';
import type { z } from 'zod';

export type OrderStatus = (typeof orderStatuses)[number];
export type OrderPaymentStatus = (typeof orderPaymentStatuses)[number];

/** Limit for one product in one order (contract 4.5). */
export const maxQuantity = 10_000;

export const cancelledByCustomer = 'cancelled by the customer';
/** The reason that the customer sees. The operator's own words must not be in any event. */
export const cancelledByStore = 'cancelled by the store';

export interface Line {
  productId: string;
  quantity: number;
}

export interface PricedLine extends Line {
  /** Name and number of the product. */
  name: string;
  sku: string | null;
  unitPrice: Decimal;
  taxPermille: number;
}

/** A line as it is stored. */
export interface Item extends Line {
  /** Name of the product when the order was placed; null for orders of early releases. */
  name: string | null;
  /** Its number then; null if it had none. */
  sku: string | null;
  unitPrice: Decimal.Value;
  /** The rate of tax when the order was placed; null for orders of early releases, which knew none. */
  taxPermille: number | null;
}

/** Fields that few orders have. They must not be in any event, because topics outlive accounts. */
export interface Details {
  shippingAddress: Address | null;
  metadata: Record<string, string> | null;
}

/** What a person entered about a shipment. It must not be in any event, because topics outlive accounts. */
export interface ShipmentDetails {
  carrier: string | null;
  trackingNumber: string | null;
  trackingUrl: string | null;
}

export interface PlacedOrder {
  id: string;
  accountId: string;
  totalAmount: Decimal.Value;
  /** ISO 4217 */
  currency: string;
  items: Item[];
  details: Details | null;
  createdAt: Date;
}

/** An order as its customer sees it. The time of a step is null until the step happens. */
export interface Order extends PlacedOrder {
  status: OrderStatus;
  updatedAt: Date;
  paidAt: Date | null;
  shippedAt: Date | null;
  cancelledAt: Date | null;
  cancelReason: string | null;
  /** Where the customer has to go before the payment can go on. Null unless the order is PENDING. */
  actionUrl: string | null;
  /** How much the customer has got back. Null for orders of early releases (`refundedOf`). */
  refunded: Decimal.Value | null;
  /** Changes of the payment that none of the times shows. */
  paymentChanges: number;
  /** Null if nothing was entered, as for orders that the timer shipped. */
  shipment: ShipmentDetails | null;
}

export interface StoredOrder extends Order {
  /** Products that the stock lacked, if the order was cancelled for that. */
  missing: Line[] | null;
  /** When the owner deleted the order. */
  deletedAt: Date | null;
}

/** An order as it was when it was placed, without later changes. */
export const asPlaced = (order: PlacedOrder): Order => ({
  ...order,
  status: 'PENDING',
  updatedAt: order.createdAt,
  paidAt: null,
  shippedAt: null,
  cancelledAt: null,
  cancelReason: null,
  actionUrl: null,
  refunded: 0,
  paymentChanges: 0,
  shipment: null,
});

/** The version of an order's representation, from 1. Each of these times is set at most once, so their count gives the version. */
export const versionOf = ({ paidAt, shippedAt, cancelledAt, paymentChanges }: Order): number =>
  1 + [paidAt, shippedAt, cancelledAt].filter((time) => time !== null).length + paymentChanges;

/** Orders of early releases were returned as a whole, when they were cancelled. */
const refundedOf = ({ refunded, status, paidAt, totalAmount }: Order): Decimal =>
  new Decimal(refunded ?? (status === 'CANCELLED' && paidAt ? totalAmount : 0));

/** How the payment stands (contract 4.5). Follows from the order, so that it is right for orders of the previous release, too. */
function paymentStatusOf(order: Order): OrderPaymentStatus {
  const { status, actionUrl, paidAt, cancelReason, totalAmount } = order;
  if (status === 'PENDING') return actionUrl === null ? 'pending' : 'action-required';
  if (paidAt === null) return cancelReason === paymentFailed ? 'failed' : 'cancelled';
  const refunded = refundedOf(order);
  if (refunded.isZero()) return 'paid';
  return refunded.lessThan(totalAmount) ? 'partially-refunded' : 'refunded';
}

export const toPaymentOut = (order: Order): AllOf<NonNullable<z.input<typeof orderOut>['payment']>> => ({
  status: paymentStatusOf(order),
  nextAction: order.actionUrl === null ? undefined : { type: 'redirect', url: order.actionUrl },
  refunded: { amount: refundedOf(order), currency: order.currency },
});

/** All fields of a representation. Undefined fields are left out of the JSON. */
type AllOf<Out> = { [Name in keyof Required<Out>]: Out[Name] };

/** The representation of an order (contract 4.5). `order-json-repository.ts` has the same fields in the same sequence, for reads. */
export const toOrderOut = (order: Order): AllOf<z.input<typeof orderOut>> => ({
  id: order.id,
  customerId: order.accountId,
  status: order.status,
  total: { amount: new Decimal(order.totalAmount), currency: order.currency },
  items: order.items.map((item) => toItemOut(item, order.currency)),
  createdAt: order.createdAt.toISOString(),
  updatedAt: order.updatedAt.toISOString(),
  version: versionOf(order),
  shippingAddress: order.details?.shippingAddress ?? null,
  metadata: sortedByKey(order.details?.metadata ?? null),
  payment: toPaymentOut(order),
  shipment: order.shipment && toDetailsOut(order.shipment),
  paidAt: order.paidAt?.toISOString(),
  shippedAt: order.shippedAt?.toISOString(),
  cancelledAt: order.cancelledAt?.toISOString(),
});

/** An order as others see it than its customer, who alone is shown where to go for the payment. */
export function toOrderForOthers(order: Order) {
  const shown = toOrderOut(order);
  return { ...shown, payment: { ...shown.payment, nextAction: undefined } };
}

/** In the same sequence as `order-json-repository.ts`, and without further columns. */
const toDetailsOut = ({ carrier, trackingNumber, trackingUrl }: ShipmentDetails): ShipmentDetails => ({
  carrier,
  trackingNumber,
  trackingUrl,
});

export const toItemOut = (
  { productId, name, sku, quantity, unitPrice, taxPermille }: Item,
  currency: string,
): AllOf<z.input<typeof pricedItem>> => ({
  productId,
  name,
  sku,
  quantity,
  unitPrice: { amount: new Decimal(unitPrice), currency },
  taxPermille: taxPermille || undefined,
});

export const toOrderJson = (order: Order): string => stringifyJson(toOrderOut(order));

/** Needed because PostgreSQL stores the keys of metadata in its own order. */
const sortedByKey = (fields: Record<string, string> | null) =>
  fields && Object.fromEntries(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)));

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
 * @param taxPermille the rate of products without their own
 * @throws DomainError invalid if a product is not in the catalogue (contract 4.5)
 */
export function priceLines(lines: Line[], products: Map<string, ProductForSale>, taxPermille: number): PricedLine[] {
  const unknown = lines.filter(({ productId }) => !products.has(productId)).map(({ productId }) => productId);
  if (unknown.length > 0) {
    throw new DomainError('invalid', `There is no product ${unknown.join(', ')}.`, {
      code: 'unknown-product',
      errors: unknown.map((id) => ({ path: 'body.items', message: `there is no product ${id}` })),
    });
  }
  return lines.flatMap((line) => {
    const product = products.get(line.productId);
    if (product === undefined) return [];
    const { name, sku, price } = product;
    return [{ ...line, name, sku, unitPrice: price, taxPermille: product.taxPermille ?? taxPermille }];
  });
}

/** What the lines tax at each rate, for the event of the order; undefined if no rate is above 0. */
export function taxesOf(items: PricedLine[], sum: Money): { permille: number; gross: Decimal }[] | undefined {
  if (items.every(({ taxPermille }) => taxPermille === 0)) return undefined;
  const lines = items.map(({ taxPermille: permille, unitPrice, quantity }) => ({
    permille,
    amount: unitPrice.times(quantity),
  }));
  const taxes = taxShares(toMinorUnits(sum), lines).map(({ permille, gross }) => ({
    permille,
    gross: fromMinorUnits(gross, sum.currency).amount,
  }));
  return taxes.some(({ permille }) => permille > 0) ? taxes : undefined;
}

/** @throws DomainError conflict with the total and the prices, if the customer expects another total (contract 4.5) */
export function mustCost(expected: Money | undefined, total: Money, items: PricedLine[]): void {
  if (expected === undefined || (expected.currency === total.currency && expected.amount.equals(total.amount))) return;
  throw new DomainError('conflict', `The total is ${asText(total)}, not ${asText(expected)}.`, {
    code: 'price-changed',
    priced: { total, items: items.map((item) => toItemOut(item, total.currency)) },
  });
}

const asText = ({ amount, currency }: Money) => `${amount.toFixed()} ${currency}`;
