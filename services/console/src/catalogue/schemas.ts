import { productOut } from '@store/shared/contracts/product';
import { sku, text, uuid } from '@store/shared/values/fields';
import { taxPermille } from '@store/shared/values/tax';
import { z } from 'zod';

/** A product of this release or another. During an upgrade both releases answer. */
export const anyProduct = productOut.partial({
  description: true,
  images: true,
  category: true,
  taxPermille: true,
  sku: true,
});

export const listedOut = anyProduct.extend({
  available: z.int().nullable().describe('Null if inventory does not answer.'),
});

/** The fields that an operator may set. */
export const fields = z.object({
  name: text(1, 200),
  price: z
    .string()
    .trim()
    .regex(/^\d{1,12}(\.\d{1,4})?$/, 'must have at most 12 digits before and 4 after the point')
    .describe("Text, since a browser's number would lose digits of a long price."),
  unit: text(1, 32),
  description: text(1, 5_000).nullable(),
  category: text(1, 100).nullable(),
  taxPermille: taxPermille.nullable().describe("Null: the store's rate."),
  // An absent sku stays as it is.
  sku: sku.nullable().optional(),
  images: z.array(z.object({ url: text(1, 2_000), alt: text(0, 300) })).max(10),
});

/** Entity tag of the product as it was read. */
export const version = z
  .string()
  .regex(/^"[^"]+"$/, 'must be the version of a product that was read')
  .max(100);

export const productIn = fields.extend({ version });

export const shownOut = productIn.extend({ id: uuid, sku: sku.nullable() });

const pieces = z.int().min(0).max(1_000_000_000);

export const stockIn = z.object({
  available: pieces,
  seen: z.int().describe('The stock that the operator saw. If it is different now, nothing is set.'),
});
