import { z } from 'zod';
import { decimal } from '../values/money.ts';
import { taxPermille } from '../values/tax.ts';

const amount = decimal(24, 4);

/** What a document taxes at one rate, in the currency of the document; net and tax add up to gross (contract 4.10). */
export const taxLine = z
  .object({ permille: taxPermille.describe('230 is 23 %.'), gross: amount, net: amount, tax: amount })
  .meta({ id: 'TaxLine', examples: [{ permille: 230, gross: 12.75, net: 10.37, tax: 2.38 }] });

export const taxLines = z
  .array(taxLine)
  .optional()
  .describe('By ascending rate; the gross amounts add up to the amount. Absent if nothing is taxed.');

export type TaxLine = z.output<typeof taxLine>;
