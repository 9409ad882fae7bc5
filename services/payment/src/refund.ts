import {
  type disputeStates,
  type refundSources,
  type refundStates,
  wholeRefundId,
} from '@store/shared/contracts/refund';
import { invalidFields } from '@store/shared/values/errors';
import { Decimal, toMinorUnits, total } from '@store/shared/values/money';
import { nameUuid } from '@store/shared/values/name-uuid';
import type { OrderedLine } from './order-client.ts';
import type { LockedPayment } from './payment-repository.ts';

export interface RefundLine {
  productId: string;
  quantity: number;
}

/** A refund of a payment, or of a part of it. Amounts are in minor units. */
export interface Refund {
  /** Also the id of its step, if it has one. */
  id: string;
  orderId: string;
  customerId: string;
  /** `cancellation`: what was left when the order was cancelled. `provider`: it was made there, not by the store. */
  source: (typeof refundSources)[number];
  /** PENDING may still succeed, so it is reserved. */
  state: (typeof refundStates)[number];
  amount: bigint;
  currency: string;
  lines: RefundLine[] | null;
  /** The operator's own words. */
  reason: string | null;
  actor: string | null;
  failure: string | null;
  providerRef: string | null;
  createdAt: Date;
  updatedAt: Date;
}

/** Money that the customer's bank takes back. It is gone while the dispute is OPEN, and once it is LOST. */
export interface Dispute {
  id: string;
  providerRef: string;
  orderId: string;
  customerId: string;
  amount: bigint;
  currency: string;
  state: (typeof disputeStates)[number];
  createdAt: Date;
  updatedAt: Date;
}

/** A payment that was captured. */
export type PaidPayment = Extract<LockedPayment, { status: 'PAID' | 'REFUNDED' }>;

/** A locked payment with all that went back of it, or may. */
export interface Returns {
  payment: PaidPayment;
  refunds: Refund[];
  disputes: Dispute[];
}

/**
 * What counts against a payment. What has happened at the provider counts even where it exceeds the payment, such as a dispute about
 * what is already refunded, but no more than was captured counts in all.
 */
export function countsOf({ payment: { captured }, refunds, disputes }: Returns): {
  reserved: bigint;
  disputed: bigint;
} {
  const reserved = smaller(captured, sum(refunds.filter(({ state }) => state !== 'FAILED')));
  const disputed = smaller(captured - reserved, sum(disputes.filter(({ state }) => state !== 'WON')));
  return { reserved, disputed };
}

/** What can still be refunded. The previous release left no trace of its refunds but the status. */
export function leftOf(returns: Returns): bigint {
  const { status, captured, remainder } = returns.payment;
  if (status === 'REFUNDED' && remainder === null) return 0n;
  const { reserved, disputed } = countsOf(returns);
  return captured - reserved - disputed;
}

/** What the refunds of a cancelled order have returned themselves, apart from earlier parts. */
export const remainderOf = ({ refunds }: Returns): bigint =>
  sum(refunds.filter(({ source, state }) => source === 'cancellation' && state === 'SUCCEEDED'));

/**
 * What happens next to the payment of a cancelled order: what is left is refunded, or all of it is back and the payment is REFUNDED.
 * `waits`: for a refund or a dispute to be decided, or for an operator, if the provider has refused as much or less.
 */
export function nextOfCancelled(returns: Returns): { refund: bigint } | 'returned' | 'waits' {
  const { refunds, disputes } = returns;
  const left = leftOf(returns);
  if (left > 0n) {
    const refused = refunds.filter(({ source, state }) => source === 'cancellation' && state === 'FAILED');
    return refused.every(({ amount }) => left < amount) ? { refund: left } : 'waits';
  }
  const isOpen = refunds.some(({ state }) => state === 'PENDING') || disputes.some(({ state }) => state === 'OPEN');
  return isOpen ? 'waits' : 'returned';
}

/** The first has the id that the step of a cancelled order's refund always had, so that it is asked for once. */
export const cancellationRefundId = (orderId: string, earlier: number): string =>
  earlier === 0 ? wholeRefundId(orderId) : nameUuid(`refund ${earlier + 1} of order ${orderId}`);

/** Ids of what was made at the provider, by the provider's own ids. */
export const outsideRefundId = (providerRef: string): string => nameUuid(`refund ${providerRef} of the provider`);
export const disputeId = (providerRef: string): string => nameUuid(`dispute ${providerRef} of the provider`);

/** Merges lines of the same product. */
export function mergeRefundLines(lines: RefundLine[]): RefundLine[] {
  const quantities = new Map<string, number>();
  for (const { productId, quantity } of lines) quantities.set(productId, (quantities.get(productId) ?? 0) + quantity);
  return [...quantities].map(([productId, quantity]) => ({ productId, quantity }));
}

/**
 * Prices lines of an order in minor units. The lines refunded so far and these together come to the rounded price of all their pieces,
 * so the last refund makes up for what the others lost by rounding, and all lines come to the total.
 * @throws DomainError invalid for a product that was not ordered, more pieces than are left, or lines that come to nothing
 */
export function priceRefund(
  lines: RefundLine[],
  ordered: OrderedLine[],
  { refunds, payment: { amount } }: Returns,
): bigint {
  const earlier = refunds.filter(({ state, lines }) => state !== 'FAILED' && lines !== null);
  const refunded = mergeRefundLines(earlier.flatMap(({ lines }) => lines ?? []));
  const quantityIn = (all: RefundLine[], id: string) => all.find(({ productId }) => productId === id)?.quantity ?? 0;
  for (const [index, { productId, quantity }] of lines.entries()) {
    const piecesLeft = quantityIn(ordered, productId) - quantityIn(refunded, productId);
    const path = `body.lines.${index}`;
    if (!ordered.some((line) => line.productId === productId))
      throw invalidFields({ path: `${path}.productId`, message: `product ${productId} is not in the order` });
    if (quantity > piecesLeft)
      throw invalidFields({
        path: `${path}.quantity`,
        message: `must be at most ${piecesLeft}, which are not refunded yet`,
      });
  }
  const all = mergeRefundLines([...refunded, ...lines]).map(({ productId, quantity }) => ({
    quantity,
    unitPrice: ordered.find((line) => line.productId === productId)?.unitPrice ?? new Decimal(0),
  }));
  const price = toMinorUnits(total(all, amount.currency)) - sum(earlier);
  if (price > 0n) return price;
  throw invalidFields({ path: 'body.lines', message: 'come to nothing in the smallest unit of the currency' });
}

const sum = (all: { amount: bigint }[]): bigint => all.reduce((sum, { amount }) => sum + amount, 0n);
const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);
