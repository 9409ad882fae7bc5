import { z } from 'zod';
import { uuid } from '../values/fields.ts';
import { decimal } from '../values/money.ts';

/** contract 4.4 */
export const productOut = z
  .object({
    id: uuid,
    name: z.string(),
    price: decimal(12, 4),
    unit: z.string(),
    version: z.int(),
    description: z.string().nullable(),
    images: z.array(z.object({ url: z.string(), alt: z.string() })),
    category: z.string().nullable(),
    taxPermille: z.int().nullable().describe('Rate of the tax that the price includes. Null: the rate of the store.'),
    sku: z.string().nullable(),
  })
  .meta({
    id: 'ProductOut',
    examples: [
      {
        id: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
        name: 'Tea',
        price: 4.25,
        unit: '100 g',
        version: 1,
        description: 'Green tea of the first harvest.',
        images: [{ url: 'https://images.example.com/tea.jpg', alt: 'A cup of green tea' }],
        category: 'Drinks',
        taxPermille: null,
        sku: 'TEA-100',
      },
    ],
  });
