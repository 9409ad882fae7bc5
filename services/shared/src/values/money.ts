import { Decimal } from 'decimal.js';
import { z } from 'zod';
import { minorUnit } from './currencies.ts';
import { uuid } from './fields.ts';

export { Decimal } from 'decimal.js';

// Sums stay exact: 100 items of 10,000 pieces at 12 integer digits have 18 integer and 4 fraction digits.
Decimal.set({ precision: 40, toExpNeg: -40, toExpPos: 40 });

/**
 * An exact decimal from a JSON number: `1.00000` is 1 and `1e2` is 100; strings are refused (contract 4.2).
 * @param integerDigits the most digits before the point
 * @param fractionDigits the most digits after it, not counting trailing zeros
 */
export function decimal(integerDigits: number, fractionDigits: number) {
  const limit = new Decimal(10).pow(integerDigits);
  return z
    .custom<number | Decimal>(
      (value) => (typeof value === 'number' && Number.isFinite(value)) || Decimal.isDecimal(value),
      { message: 'must be a number', abort: true },
    )
    .transform((value) => new Decimal(value))
    .refine((value) => value.decimalPlaces() <= fractionDigits, `must have at most ${fractionDigits} decimal places`)
    .refine((value) => value.abs().lessThan(limit), `must have at most ${integerDigits} digits before the point`)
    .meta({ type: 'number' });
}

/** contract 4.2 */
export const moneySchema = z
  .object({ amount: decimal(24, 4), currency: z.string().regex(/^[A-Z]{3}$/) })
  .meta({ id: 'Money', examples: [{ amount: 12.75, currency: 'USD' }] });

export interface Money {
  amount: Decimal;
  /** ISO 4217 */
  currency: string;
}

/** Item of an order, with the price of one piece (contract 4.5). */
export const pricedItem = z.object({
  productId: uuid,
  name: z.string().nullable().default(null).describe("The product's, when the order was placed."),
  sku: z.string().nullable().default(null).describe("The product's, when the order was placed."),
  quantity: z.int(),
  unitPrice: z.object({ amount: decimal(12, 4), currency: z.string() }),
  taxPermille: z.int().optional().describe('Rate of the tax that the price includes, if it is above 0.'),
});

/** Sum of price times quantity, rounded half-even to the currency's minor unit (contract 4.2). */
export function total(lines: { unitPrice: Decimal; quantity: number }[], currency: string): Money {
  const sum = lines.reduce((all, line) => all.plus(line.unitPrice.times(line.quantity)), new Decimal(0));
  return { amount: sum.toDecimalPlaces(minorUnit(currency), Decimal.ROUND_HALF_EVEN), currency };
}

/** An amount in whole minor units, as providers and books count: 1275 for 12.75 USD. Rounds half-even what has more decimals (contract 4.2). */
export function toMinorUnits({ amount, currency }: Money): bigint {
  const units = amount.times(new Decimal(10).pow(minorUnit(currency)));
  return BigInt(units.toDecimalPlaces(0, Decimal.ROUND_HALF_EVEN).toFixed());
}

export function fromMinorUnits(units: bigint, currency: string): Money {
  return { amount: new Decimal(units.toString()).div(new Decimal(10).pow(minorUnit(currency))), currency };
}

/** Writes an amount with the decimals of its currency, or with more if the amount has more, as a price may. */
export function inDecimals(amount: Decimal, currency: string): string {
  return amount.toFixed(Math.max(minorUnit(currency), amount.decimalPlaces()));
}
