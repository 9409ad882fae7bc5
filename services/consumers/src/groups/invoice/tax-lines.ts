import type { TaxLine } from '@store/shared/contracts/tax-line';
import { type Decimal, fromMinorUnits, type Money, toMinorUnits } from '@store/shared/values/money';
import { allocate, sharesOf, type TaxShare, taxIn } from '@store/shared/values/tax';

/** What is taxed at a rate, tax included, as events have it. */
export interface Taxed {
  permille: number;
  gross: Decimal;
}

const inUnits = (taxed: Taxed[], currency: string): TaxShare[] =>
  taxed.map(({ permille, gross }) => ({ permille, gross: toMinorUnits({ amount: gross, currency }) }));

/**
 * The tax lines of an invoice. Their gross amounts are those of the event, which add up to the amount; if another producer's do not,
 * the amount is divided in proportion to them.
 */
export function invoiceTaxes({ amount, currency }: Money, taxed: Taxed[]): TaxLine[] {
  const rates = inUnits(taxed, currency).sort((a, b) => a.permille - b.permille);
  const parts = allocate(
    toMinorUnits({ amount, currency }),
    rates.map(({ gross }) => gross),
  );
  return rates.map(({ permille }, position) => {
    const gross = parts[position] ?? 0n;
    return lineOf(permille, gross, taxIn(gross, permille), currency);
  });
}

/**
 * The tax lines of a credit note. Those of all credit notes of an invoice add up to its own, at each rate: what is rounded is the
 * tax of everything that was credited so far, and a note has the difference.
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
  const before = inUnits(credited, currency);
  const shares = sharesOf(
    toMinorUnits({ amount, currency }),
    inUnits(taxes, currency),
    before,
    inUnits(taxed, currency),
  );
  return shares.map(({ permille, gross }) => {
    const earlier = before.reduce((sum, share) => (share.permille === permille ? sum + share.gross : sum), 0n);
    return lineOf(permille, gross, taxIn(earlier + gross, permille) - taxIn(earlier, permille), currency);
  });
}

function lineOf(permille: number, gross: bigint, tax: bigint, currency: string): TaxLine {
  const decimal = (units: bigint) => fromMinorUnits(units, currency).amount;
  return { permille, gross: decimal(gross), net: decimal(gross - tax), tax: decimal(tax) };
}
