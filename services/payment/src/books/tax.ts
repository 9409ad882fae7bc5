import {
  leftOf,
  sharesIn,
  sharesOf,
  type Taxed,
  type TaxShare,
  taxIn,
  taxOfReturned,
  toTaxShares,
} from '@store/shared/values/tax';

const sum = (amounts: bigint[]) => amounts.reduce((all, amount) => all + amount, 0n);
const grossOf = (shares: TaxShare[]) => sum(shares.map(({ gross }) => gross));

/** The shares of an amount, as on its invoice; none if nothing is taxed. */
export function chargedShares(amount: bigint, taxes: Taxed[] | undefined, currency: string): TaxShare[] {
  const given = toTaxShares(taxes ?? [], currency);
  return grossOf(given) === 0n ? [] : sharesIn(amount, given);
}

/** The tax in a charge. */
export const taxOf = (shares: TaxShare[]): bigint => sum(shares.map(({ permille, gross }) => taxIn(gross, permille)));

/**
 * What a refund returns at each rate, and the tax in it, as on its credit note. A refund of more than is left, such as one that was made
 * at the provider before another was known to have failed, has the shares of what is left.
 * @param shares the payment's
 * @param earlier amounts of the refunds before it, in their order
 */
export function taxesOfRefund(
  amount: bigint,
  shares: TaxShare[],
  earlier: bigint[],
): { shares: TaxShare[]; tax: bigint } {
  const refunded: TaxShare[] = [];
  const next = (one: bigint) => {
    const left = grossOf(leftOf(shares, refunded));
    return sharesOf(one < left ? one : left, shares, refunded);
  };
  for (const one of earlier) refunded.push(...next(one));
  const own = next(amount);
  return { shares: own, tax: sum(own.map((share) => taxOfReturned(share, refunded))) };
}
