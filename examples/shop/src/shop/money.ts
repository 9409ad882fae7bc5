import { type Money, minorUnit } from '@store-platform/client';

/** Prices of products have no currency of their own (contract 4.4): they are in the store's STORE_CURRENCY. */
const currency: string = import.meta.env.VITE_STORE_CURRENCY ?? 'USD';
const digits = minorUnit(currency);

interface Priced {
  price: number;
  quantity: number;
}

/** Shows up to four decimals if a price has them. The browser's own number of decimals may differ from the store's. */
export const money = (amount: number, of = currency): string =>
  new Intl.NumberFormat(undefined, {
    style: 'currency',
    currency: of,
    minimumFractionDigits: minorUnit(of),
    maximumFractionDigits: 4,
  }).format(amount);

/** The sum in ten-thousandths, to avoid adding binary fractions. */
const sum = (lines: readonly Priced[]): bigint =>
  lines.reduce((all, { price, quantity }) => all + BigInt(Math.round(price * 10_000)) * BigInt(quantity), 0n);

export const lineSum = (line: Priced): number => Number(sum([line])) / 10_000;

/** Returns the total of an order, rounded once, half to even, as the store does (contract 4.2). */
export function totalOf(lines: readonly Priced[]): Money {
  const unit = 10n ** BigInt(4 - digits);
  const exact = sum(lines);
  const [whole, rest] = [exact / unit, (exact % unit) * 2n];
  const up = rest > unit || (rest === unit && whole % 2n === 1n);
  return { amount: Number(whole + (up ? 1n : 0n)) / 10 ** digits, currency };
}
