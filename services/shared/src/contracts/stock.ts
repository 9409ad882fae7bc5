import { z } from 'zod';
import { uuid } from '../values/fields.ts';

/** contract 4.9 */
export const stockOut = z.object({ productId: uuid, available: z.int() }).meta({
  id: 'StockOut',
  examples: [{ productId: '7c9e6679-7425-40de-944b-e07fc1f90ae7', available: 3 }],
});

export const stockJson = (productId: string, { available }: { available: number }) =>
  JSON.stringify({ productId, available });
