import { Decimal } from 'decimal.js';
import { z } from 'zod';

export { Decimal } from 'decimal.js';

// Sums are exact: 100 items of 10,000 pieces at 12 digits before the point have 18 digits there and 4 behind.
Decimal.set({ precision: 40, toExpNeg: -40, toExpPos: 40 });

/**
 * A JSON number taken digit by digit: `1.00000` is 1 and `1e2` is 100; a string is refused.
 * @param integerDigits most digits before the point
 * @param fractionDigits most digits behind it, zeros at the end not counted
 */
export function decimal(integerDigits: number, fractionDigits: number) {
  return z
    .custom<number | Decimal>(
      (value) => (typeof value === 'number' && Number.isFinite(value)) || Decimal.isDecimal(value),
      {
        message: 'must be a number',
        abort: true,
      },
    )
    .transform((value) => new Decimal(value))
    .refine((value) => value.decimalPlaces() <= fractionDigits, `must have at most ${fractionDigits} decimal places`)
    .refine(
      (value) => value.abs().lessThan(new Decimal(10).pow(integerDigits)),
      `must have at most ${integerDigits} digits before the point`,
    )
    .meta({ type: 'number' });
}

/** spec: Shared conventions, rule 3 */
export const moneySchema = z
  .object({ amount: decimal(24, 4), currency: z.string().regex(/^[A-Z]{3}$/) })
  .meta({ id: 'Money' });

export interface Money {
  amount: Decimal;
  /** ISO 4217 */
  currency: string;
}

/** How many decimals an ISO 4217 currency has: 2 for USD, 0 for JPY. */
export function minorUnit(currency: string): number {
  return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;
}

/**
 * Sum of price times quantity, rounded half-even to the currency's minor unit (decisions 4, Order).
 * @param digits of the minor unit, by who needs them often: to find them out takes as long as all the rest
 */
export function total(
  lines: { unitPrice: Decimal; quantity: number }[],
  currency: string,
  digits = minorUnit(currency),
): Money {
  const sum = lines.reduce((all, line) => all.plus(line.unitPrice.times(line.quantity)), new Decimal(0));
  return { amount: sum.toDecimalPlaces(digits, Decimal.ROUND_HALF_EVEN), currency };
}
