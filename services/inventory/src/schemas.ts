import { uuids } from '@store/shared/values/fields';
import { z } from 'zod';

/** Far enough below the column's maximum for released stock to still fit. */
export const maxAvailable = 1_000_000_000;

export const stockIn = z.object({ available: z.int().min(0).max(maxAvailable) }).meta({
  id: 'StockIn',
  examples: [{ available: 7 }],
});

export const availabilityQuery = z.object({
  id: uuids(100).describe('A product; repeatable up to 100 times.'),
});
