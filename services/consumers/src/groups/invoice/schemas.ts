import { pagedQuery, sortQuery } from '@store/shared/http/pagination';
import { uuid, wholeNumber } from '@store/shared/values/fields';
import { z } from 'zod';

const documentNumber = wholeNumber(1, 999_999_999_999_999);

const documentQuery = pagedQuery(20, 100, {
  sort: sortQuery(['number'], [{ field: 'number', direction: 'desc' }]),
  orderId: uuid.optional(),
  number: documentNumber.optional(),
});

export const invoiceQuery = documentQuery;
export const creditNoteQuery = documentQuery;

export const creditNotesOfOrderQuery = pagedQuery(100, 100, {});

export const orderParams = z.object({ id: uuid });
export const creditNoteParams = orderParams.extend({ number: documentNumber });

export type InvoiceQuery = z.output<typeof invoiceQuery>;
export type CreditNoteQuery = z.output<typeof creditNoteQuery>;
