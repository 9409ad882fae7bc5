import { z } from 'zod';
import { type Decimal, decimal, toMinorUnits } from './money.ts';

/** A rate of tax in per mille: 230 is 23 %. */
export const taxPermille = z.int().min(0).max(1_000);

/** Gross amounts by rate, as events carry them: each rate once, in the currency of the amount that they add up to (contract 6.3). */
export const taxesSchema = z.array(z.object({ permille: taxPermille, gross: decimal(24, 4) })).min(1);

/** What is taxed at one rate, tax included, as events have it. */
export interface Taxed {
  permille: number;
  gross: Decimal;
}

/** What is taxed at one rate, tax included, in minor units. */
export interface TaxShare {
  permille: number;
  gross: bigint;
}

export const toTaxShares = (taxed: Taxed[], currency: string): TaxShare[] =>
  taxed.map(({ permille, gross }) => ({ permille, gross: toMinorUnits({ amount: gross, currency }) }));

const sum = (amounts: bigint[]) => amounts.reduce((all, amount) => all + amount, 0n);

/**
 * Divides an amount in proportion to the weights, by largest remainder: each part is its exact quotient, rounded down or up, and the
 * parts add up to the amount. Equal remainders go to the earlier part.
 * @param amount in minor units, 0 or more
 * @param weights 0 or more; a weight of 0 gets nothing
 * @throws RangeError for a negative argument, or if there is an amount but no weight
 */
export function allocate(amount: bigint, weights: bigint[]): bigint[] {
  const whole = sum(weights);
  if (amount < 0n || weights.some((weight) => weight < 0n)) throw new RangeError('Amounts and weights are 0 or more');
  if (amount > 0n && whole === 0n) throw new RangeError(`There is no weight to divide ${amount} by`);
  if (amount === 0n) return weights.map(() => 0n);
  const parts = weights.map((weight) => (amount * weight) / whole);
  const byRemainder = weights
    .map((weight, position) => ({ position, remainder: (amount * weight) % whole }))
    .sort((a, b) => (a.remainder === b.remainder ? a.position - b.position : a.remainder > b.remainder ? -1 : 1));
  const raised = new Set(byRemainder.slice(0, Number(amount - sum(parts))).map(({ position }) => position));
  return parts.map((part, position) => (raised.has(position) ? part + 1n : part));
}

/** The tax in an amount that includes it, in minor units, rounded half-even. It never decreases as the amount grows. */
export function taxIn(gross: bigint, permille: number): bigint {
  const divisor = BigInt(1_000 + permille);
  const dividend = gross * BigInt(permille);
  const [quotient, twice] = [dividend / divisor, 2n * (dividend % divisor)];
  const isUp = twice > divisor || (twice === divisor && quotient % 2n === 1n);
  return isUp ? quotient + 1n : quotient;
}

/**
 * Divides a rounded total among the rates of its lines. This is done once per order; whatever is computed later starts from the result.
 * @param total in minor units
 * @param lines with their exact amounts, of at most 4 decimals
 * @returns rates in ascending order, without those that get nothing
 */
export function taxShares(total: bigint, lines: { permille: number; amount: Decimal }[]): TaxShare[] {
  const amounts = new Map<number, Decimal>();
  for (const { permille, amount } of lines) amounts.set(permille, amount.plus(amounts.get(permille) ?? 0));
  const rates = [...amounts].sort(([a], [b]) => a - b);
  const parts = allocate(
    total,
    rates.map(([, amount]) => BigInt(amount.times(10_000).toFixed())),
  );
  return rates.flatMap(([permille], position) => shareOf(permille, parts[position] ?? 0n));
}

/**
 * The shares of an amount, by rates in ascending order. Those of an event add up to its amount; if another producer's do not, the amount
 * is divided in proportion to them.
 * @param amount in minor units
 * @throws RangeError if there is an amount, but no share of it
 */
export function sharesIn(amount: bigint, given: TaxShare[]): TaxShare[] {
  const rates = given.toSorted((a, b) => a.permille - b.permille);
  const parts = allocate(
    amount,
    rates.map(({ gross }) => gross),
  );
  return rates.map(({ permille }, position) => ({ permille, gross: parts[position] ?? 0n }));
}

/**
 * Divides a refund among the rates of its payment, so that no rate ever gets back more than was paid at it, and the last refund
 * leaves nothing at any rate.
 * @param amount in minor units
 * @param taxes the payment's
 * @param refundedSoFar the shares of all earlier refunds that were not undone, in any order; a rate may be repeated
 * @param wanted shares that add up to at most `amount`, such as those of returned lines. They are kept as far as their rates have
 *   something left. What remains of the amount is divided in proportion to what is left.
 * @throws RangeError if the amount is more than what is left
 */
export function sharesOf(
  amount: bigint,
  taxes: TaxShare[],
  refundedSoFar: TaxShare[],
  wanted: TaxShare[] = [],
): TaxShare[] {
  const left = leftOf(taxes, refundedSoFar);
  const available = sum(left.map(({ gross }) => gross));
  if (amount > available) throw new RangeError(`Only ${available} of the payment is left, not ${amount}`);
  const asWanted = left.map(({ permille, gross }) => least(gross, grossAt(permille, wanted)));
  const rest = allocate(
    amount - sum(asWanted),
    left.map(({ gross }, position) => gross - (asWanted[position] ?? 0n)),
  );
  return left.flatMap(({ permille }, position) =>
    shareOf(permille, (asWanted[position] ?? 0n) + (rest[position] ?? 0n)),
  );
}

/**
 * The tax in a share of a refund. What is rounded is the tax of everything that was refunded at its rate so far, and the refund has the
 * difference: so the taxes of all refunds add up to that of the payment.
 * @param before the shares of earlier refunds, in any order; a rate may be repeated
 */
export function taxOfReturned({ permille, gross }: TaxShare, before: TaxShare[]): bigint {
  const earlier = grossAt(permille, before);
  return taxIn(earlier + gross, permille) - taxIn(earlier, permille);
}

/** What refunds have left at each rate; 0 if they have taken more than there was. */
export function leftOf(taxes: TaxShare[], refunded: TaxShare[]): TaxShare[] {
  return taxes.map(({ permille, gross }) => {
    const left = gross - grossAt(permille, refunded);
    return { permille, gross: left > 0n ? left : 0n };
  });
}

const shareOf = (permille: number, gross: bigint): TaxShare[] => (gross === 0n ? [] : [{ permille, gross }]);
const grossAt = (permille: number, shares: TaxShare[]) =>
  sum(shares.filter((share) => share.permille === permille).map(({ gross }) => gross));
const least = (a: bigint, b: bigint) => (a < b ? a : b);
