import { uuid } from '@store/shared/values/fields';
import { z } from 'zod';

/** Far enough below what the column holds that what is given back later still fits. */
export const maxAvailable = 1_000_000_000;

export const stockIn = z.object({ available: z.int().min(0).max(maxAvailable) }).meta({ id: 'StockIn' });

export const stockOut = z.object({ productId: uuid, available: z.int() }).meta({ id: 'StockOut' });
