import { z } from 'zod';
import { timestamp, uuid } from '../values/fields.ts';
import { moneySchema } from '../values/money.ts';
import { sellerOut } from './invoice.ts';
import { taxLines } from './tax-line.ts';

const example = {
  number: 4,
  orderId: 'b1e5c0de-3a44-4f0b-9a57-2c6d8e1f7a90',
  customerId: '3f8a1c52-9d0e-4b7a-8c61-5e2d7f4a9b10',
  refundId: '6d2f0a8b-4c1e-8f35-9a70-1b3c5d7e9f02',
  invoiceNumber: 17,
  amount: { amount: 4.25, currency: 'USD' },
  taxes: [{ permille: 230, gross: 4.25, net: 3.46, tax: 0.79 }],
  refundedAt: '2026-02-03T10:00:00.000Z',
  createdAt: '2026-02-03T10:00:01.000Z',
};

/** contract 4.10 */
export const creditNoteOut = z
  .object({
    number: z.int(),
    orderId: uuid,
    customerId: uuid,
    refundId: uuid,
    invoiceNumber: z.int(),
    amount: moneySchema,
    taxes: taxLines,
    refundedAt: timestamp,
    createdAt: timestamp,
  })
  .meta({ id: 'CreditNoteOut', examples: [example] });

export const creditNotesOut = z.array(creditNoteOut);

/** The complete credit note. */
export const wholeCreditNoteOut = creditNoteOut.extend(sellerOut).meta({
  id: 'WholeCreditNoteOut',
  examples: [{ ...example, seller: 'Store Ltd.\n1 Market Street\nLisbon', sellerTaxNumber: 'PT 500 000 000' }],
});
