import { pageQuery, sortQuery, withinCounted } from '@store/shared/http/pagination';
import { timestamp, uuid } from '@store/shared/values/fields';
import { moneySchema } from '@store/shared/values/money';
import { z } from 'zod';

export const invoiceOut = z
  .object({
    number: z.int(),
    orderId: uuid,
    customerId: uuid,
    paymentId: uuid,
    amount: moneySchema,
    paidAt: timestamp,
    createdAt: timestamp,
  })
  .meta({ id: 'InvoiceOut' });

export const invoiceQuery = withinCounted(
  z.object({
    ...pageQuery(20, 100),
    sort: sortQuery(['number'], [{ field: 'number', direction: 'desc' }]),
    orderId: uuid.optional(),
  }),
);

export type InvoiceQuery = z.output<typeof invoiceQuery>;
