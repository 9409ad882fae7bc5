import { z } from 'zod';
import { uuid } from '../values/fields.ts';

/** contract 4.9 */
export const stockOut = z.object({ productId: uuid, available: z.int() }).meta({ id: 'StockOut' });
