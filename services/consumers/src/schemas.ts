import { pageOf, pageQuery, sortQuery } from '@store/shared/http/pagination';
import { timestamp, uuid } from '@store/shared/values/fields';
import { moneySchema } from '@store/shared/values/money';
import { z } from 'zod';

export const notificationOut = z
  .object({
    id: uuid.describe('That of the event it tells of.'),
    orderId: uuid,
    customerId: uuid,
    kind: z.string(),
    subject: z.string(),
    text: z.string(),
    createdAt: timestamp,
    sentAt: timestamp.optional(),
  })
  .meta({ id: 'NotificationOut' });

export const figuresOut = z
  .object({
    day: z.iso.date(),
    orders: z.int(),
    paid: z.int(),
    cancelled: z.int(),
    refunded: z.int(),
    revenue: z.array(moneySchema).describe('What was paid on that day, of each currency.'),
    refunds: z.array(moneySchema).describe('What was paid back on that day, of each currency.'),
  })
  .meta({ id: 'FiguresOut' });

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

export const notificationPage = pageOf(notificationOut).meta({ id: 'NotificationPage' });
export const figuresPage = pageOf(figuresOut).meta({ id: 'FiguresPage' });
export const invoicePage = pageOf(invoiceOut).meta({ id: 'InvoicePage' });

const paged = pageQuery(20, 100);

export const notificationQuery = z.object({
  ...paged,
  sort: sortQuery(['createdAt'], [{ field: 'createdAt', direction: 'desc' }]),
  orderId: uuid.optional(),
  customerId: uuid.optional(),
});
export const figuresQuery = z.object({ ...paged, sort: sortQuery(['day'], [{ field: 'day', direction: 'desc' }]) });
export const invoiceQuery = z.object({
  ...paged,
  sort: sortQuery(['number'], [{ field: 'number', direction: 'desc' }]),
  orderId: uuid.optional(),
});
