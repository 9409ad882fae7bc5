import { pagedQuery, sortQuery } from '@store/shared/http/pagination';
import { seenVersion } from '@store/shared/http/precondition';
import { comparable, sku, skus, text, uuids } from '@store/shared/values/fields';
import { decimal } from '@store/shared/values/money';
import { taxPermille } from '@store/shared/values/tax';
import { z } from 'zod';

const category = comparable(1, 100);

const image = z.object({
  url: text(1, 2_000)
    .pipe(z.url({ protocol: /^https$/, error: 'must be an https URL' }))
    .meta({ format: 'uri', description: 'https only.' }),
  alt: text(0, 300).describe('Alternative text.'),
});

/** contract 4.4 */
export const productIn = z
  .object({
    name: comparable(1, 200),
    price: decimal(12, 4)
      .refine((price) => price.isPositive() && !price.isZero(), 'must be positive')
      .meta({ type: 'number', exclusiveMinimum: 0 }),
    unit: text(1, 32),
    description: text(1, 5_000).nullish().describe('Plain text.'),
    images: z.array(image).max(10).nullish(),
    category: category.nullish(),
    taxPermille: taxPermille
      .nullish()
      .describe('Rate of the tax that the price includes: 230 is 23 %. Null: the rate of the store.'),
    sku: sku.nullish().describe('Its number in other systems. No two products have the same. Letter case counts.'),
  })
  .meta({ id: 'ProductIn', examples: [{ name: 'Tea', price: 4.25, unit: '100 g' }] });

/** A change may name the version of the product that it expects. */
export const productChange = productIn
  .extend({ version: seenVersion })
  .meta({ id: 'ProductChange', examples: [{ name: 'Tea', price: 4.5, unit: '100 g', version: 1 }] });

export const productQuery = pagedQuery(100, 1000, {
  sort: sortQuery(['id', 'name', 'price', 'createdAt'], [{ field: 'createdAt', direction: 'asc' }], ['id']),
  q: comparable(1, 200)
    .refine((value) => /[\p{Alphabetic}\p{N}]/u.test(value), 'must have a letter or a digit')
    .optional()
    .describe(
      'Text in the name, or the beginning of the `sku`, in any letter case. Without three letters or digits in a row, it must begin the name or follow a space.',
    ),
  category: category.optional().describe('Only products of this category, spelled exactly.'),
  sku: skus(100).optional().describe('Only products with one of these; repeatable up to 100 times.'),
  id: uuids(100).optional().describe('Only these products; repeatable up to 100 times.'),
});

/** A line of an import, and of an export. */
export const importLine = productIn
  .extend({ sku })
  .meta({ id: 'ProductLine', examples: [{ sku: 'TEA-100', name: 'Tea', price: 4.25, unit: '100 g' }] });

/** The body of `PUT /products?sku=`. A sku in it is ignored. */
export const productBySku = productChange.omit({ sku: true }).meta({
  id: 'ProductBySku',
  examples: [{ name: 'Tea', price: 4.5, unit: '100 g' }],
});

export const skuQuery = z.object({ sku: sku.describe('The `sku` of the product.') });

export type ProductChange = z.output<typeof productChange>;
export type ProductIn = z.output<typeof productIn>;
export type ProductQuery = z.output<typeof productQuery>;
