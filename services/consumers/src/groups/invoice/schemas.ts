import { pageQuery, sortQuery, withinCounted } from '@store/shared/http/pagination';
import { uuid } from '@store/shared/values/fields';
import { z } from 'zod';

export const invoiceQuery = withinCounted(
  z.object({
    ...pageQuery(20, 100),
    sort: sortQuery(['number'], [{ field: 'number', direction: 'desc' }]),
    orderId: uuid.optional(),
  }),
);

export type InvoiceQuery = z.output<typeof invoiceQuery>;
