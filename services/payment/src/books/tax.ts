import { Decimal, toMinorUnits } from '@store/shared/values/money';
import { allocate, sharesOf, type TaxShare, taxIn } from '@store/shared/values/tax';

/** What is taxed at each rate, tax included, as events have it. */
export type Taxes = { permille: number; gross: number | Decimal }[] | undefined;

const sum = (amounts: bigint[]) => amounts.reduce((all, amount) => all + amount, 0n);

/** The shares of an amount, as on its invoice: if another producer's do not add up to it, it is divided in proportion to them. */
export function sharesIn(amount: bigint, taxes: Taxes, currency: string): TaxShare[] {
  const rates = (taxes ?? []).map(({ permille, gross }) => ({
    permille,
    gross: toMinorUnits({ amount: new Decimal(gross), currency }),
  }));
  rates.sort((a, b) => a.permille - b.permille);
  const weights = rates.map(({ gross }) => gross);
  if (sum(weights) === 0n) return [];
  const parts = allocate(amount, weights);
  return rates.map(({ permille }, position) => ({ permille, gross: parts[position] ?? 0n }));
}

/** The tax in a charge. */
export const taxOf = (shares: TaxShare[]): bigint => sum(shares.map(({ permille, gross }) => taxIn(gross, permille)));

/**
 * The tax in a refund, as on its credit note: what is rounded is the tax of everything that was refunded so far.
 * @param shares the payment's
 * @param earlier amounts of the refunds before it, in their order
 */
export function taxOfRefund(amount: bigint, shares: TaxShare[], earlier: bigint[]): bigint {
  if (shares.length === 0) return 0n;
  const refunded: TaxShare[] = [];
  for (const one of earlier) refunded.push(...sharesOf(one, shares, refunded));
  return sum(
    sharesOf(amount, shares, refunded).map(({ permille, gross }) => {
      const before = sum(refunded.filter((share) => share.permille === permille).map((share) => share.gross));
      return taxIn(before + gross, permille) - taxIn(before, permille);
    }),
  );
}
