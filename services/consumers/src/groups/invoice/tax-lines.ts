import type { TaxLine } from '@store/shared/contracts/tax-line';
import { fromMinorUnits, type Money, toMinorUnits } from '@store/shared/values/money';
import { sharesIn, sharesOf, type Taxed, taxIn, taxOfReturned, toTaxShares } from '@store/shared/values/tax';

/** The tax lines of an invoice. */
export function invoiceTaxes({ amount, currency }: Money, taxed: Taxed[]): TaxLine[] {
  const shares = sharesIn(toMinorUnits({ amount, currency }), toTaxShares(taxed, currency));
  return shares.map(({ permille, gross }) => lineOf(permille, gross, taxIn(gross, permille), currency));
}

/**
 * The tax lines of a credit note. Those of all credit notes of an invoice add up to its own, at each rate.
 * @param taxes the invoice's
 * @param credited the lines of its earlier credit notes
 * @param taxed what the refund returned of each rate; what it does not say is in proportion to what is left
 * @throws RangeError if the amount is more than the invoice has left
 */
export function creditNoteTaxes(
  { amount, currency }: Money,
  taxes: Taxed[],
  credited: Taxed[],
  taxed: Taxed[] = [],
): TaxLine[] {
  const before = toTaxShares(credited, currency);
  const shares = sharesOf(
    toMinorUnits({ amount, currency }),
    toTaxShares(taxes, currency),
    before,
    toTaxShares(taxed, currency),
  );
  return shares.map((share) => lineOf(share.permille, share.gross, taxOfReturned(share, before), currency));
}

function lineOf(permille: number, gross: bigint, tax: bigint, currency: string): TaxLine {
  const decimal = (units: bigint) => fromMinorUnits(units, currency).amount;
  return { permille, gross: decimal(gross), net: decimal(gross - tax), tax: decimal(tax) };
}
