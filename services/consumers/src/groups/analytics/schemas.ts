import { pagedQuery, sortQuery } from '@store/shared/http/pagination';
import { moneySchema } from '@store/shared/values/money';
import { z } from 'zod';

export const figuresOut = z
  .object({
    day: z.iso.date(),
    orders: z.int(),
    paid: z.int(),
    cancelled: z.int().describe('Cancelled orders, each counted once, for any reason.'),
    refunded: z.int(),
    revenue: z.array(moneySchema).describe('Amounts paid on that day, by currency.'),
    refunds: z.array(moneySchema).describe('Amounts refunded on that day, by currency.'),
  })
  .meta({ id: 'FiguresOut' });

export const figuresQuery = pagedQuery(20, 100, {
  sort: sortQuery(['day'], [{ field: 'day', direction: 'desc' }]),
});

export type FiguresQuery = z.output<typeof figuresQuery>;
