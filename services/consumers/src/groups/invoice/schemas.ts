import { pagedQuery, sortQuery } from '@store/shared/http/pagination';
import { uuid, wholeNumber } from '@store/shared/values/fields';
import type { z } from 'zod';

export const invoiceQuery = pagedQuery(20, 100, {
  sort: sortQuery(['number'], [{ field: 'number', direction: 'desc' }]),
  orderId: uuid.optional(),
  number: wholeNumber(1, 999_999_999_999_999).optional(),
});

export type InvoiceQuery = z.output<typeof invoiceQuery>;
