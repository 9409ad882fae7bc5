import { z } from 'zod';
import { timestamp, uuid } from '../values/fields.ts';
import { moneySchema } from '../values/money.ts';

/** contract 4.10 */
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
