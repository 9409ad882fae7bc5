import { productOut } from '@store/shared/contracts/product';
import { text, uuid } from '@store/shared/values/fields';
import { z } from 'zod';

/** A product as this release or the one before has it: while a release is installed, both answer. */
export const anyProduct = productOut.partial({ description: true, images: true, category: true });

export const listedOut = anyProduct.extend({
  available: z.int().nullable().describe('Null for a product that inventory has not seen, or if it does not answer.'),
});

/** The fields that an operator may set. */
export const fields = z.object({
  name: text(1, 200),
  price: z
    .string()
    .trim()
    .regex(/^\d{1,12}(\.\d{1,4})?$/, 'must have at most 12 digits before and 4 after the point')
    .describe("Digits: a browser's number would lose some of a long one."),
  unit: text(1, 32),
});

/** Entity tag of the product as it was read. */
export const version = z
  .string()
  .regex(/^"[^"]+"$/, 'must be one that was read')
  .max(100);

export const productIn = fields.extend({ version });

export const shownOut = productIn.extend({ id: uuid });
