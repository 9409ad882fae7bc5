import { z } from 'zod';
import { timestamp, uuid } from '../values/fields.ts';
import { moneySchema, pricedItem } from '../values/money.ts';
import { exampleItem } from './order.ts';
import { taxLines } from './tax-line.ts';

/** contract 4.10 */
export const invoiceOut = z
  .object({
    number: z.int(),
    orderId: uuid,
    customerId: uuid,
    paymentId: uuid,
    amount: moneySchema,
    taxes: taxLines,
    paidAt: timestamp,
    createdAt: timestamp,
  })
  .meta({ id: 'InvoiceOut' });

/** Who issues a document. */
export const sellerOut = {
  seller: z.string().describe('Name and address, a line each.'),
  sellerTaxNumber: z.string().optional().describe("The seller's tax number."),
};

const example = {
  number: 17,
  orderId: 'b1e5c0de-3a44-4f0b-9a57-2c6d8e1f7a90',
  customerId: '3f8a1c52-9d0e-4b7a-8c61-5e2d7f4a9b10',
  paymentId: '0d9b6f4e-1c7a-4e55-a2b8-6f1d3c8e7a24',
  amount: { amount: 12.75, currency: 'USD' },
  taxes: [{ permille: 230, gross: 12.75, net: 10.37, tax: 2.38 }],
  paidAt: '2026-01-31T09:30:02.000Z',
  createdAt: '2026-01-31T09:30:03.000Z',
  seller: 'Store Ltd.\n1 Market Street\nLisbon',
  sellerTaxNumber: 'PT 500 000 000',
};

/** An invoice for operators, who get its lines from the order service. */
export const sellersInvoiceOut = invoiceOut.extend(sellerOut).meta({ id: 'SellersInvoiceOut', examples: [example] });

/** The complete invoice, for its customer. */
export const customerInvoiceOut = sellersInvoiceOut.extend({ lines: z.array(pricedItem) }).meta({
  id: 'CustomerInvoiceOut',
  examples: [{ ...example, lines: [exampleItem] }],
});
