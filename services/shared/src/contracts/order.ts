import { z } from 'zod';
import { timestamp, uuid } from '../values/fields.ts';
import { moneySchema, pricedItem } from '../values/money.ts';
import { addressOut } from './address.ts';

export const orderStatuses = ['PENDING', 'CONFIRMED', 'CANCELLED'] as const;

/** How the payment of an order stands (contract 4.5). */
export const orderPaymentStatuses = [
  'pending',
  'action-required',
  'paid',
  'failed',
  'cancelled',
  'partially-refunded',
  'refunded',
] as const;

/** Why inventory releases the stock of an order whose payment was declined. The order keeps it as the reason of its cancellation. */
export const paymentFailed = 'payment failed';

/** What the customer has to do before the payment can go on. */
export const nextAction = z.object({
  type: z.literal('redirect'),
  url: z.string().describe('Send the customer there. The order goes on once the customer has finished.'),
});

export const exampleItem = {
  productId: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  name: 'Tea',
  sku: 'TEA-100',
  quantity: 3,
  unitPrice: { amount: 4.25, currency: 'USD' },
};

/** contract 4.5 */
export const orderOut = z
  .object({
    id: uuid,
    customerId: uuid,
    status: z.enum(orderStatuses),
    total: moneySchema,
    items: z.array(pricedItem),
    createdAt: timestamp,
    updatedAt: timestamp,
    version: z.int(),
    paidAt: timestamp.optional(),
    shippedAt: timestamp.optional(),
    cancelledAt: timestamp.optional(),
    shippingAddress: addressOut.nullable().default(null),
    metadata: z.record(z.string(), z.string()).nullable().default(null).describe('As given when the order was placed.'),
    // The order service of the previous release omits it.
    payment: z
      .object({
        status: z.enum(orderPaymentStatuses),
        nextAction: nextAction.optional(),
        refunded: moneySchema.describe('What the customer has got back of the total.'),
      })
      .optional(),
  })
  .meta({
    id: 'OrderOut',
    examples: [
      {
        id: 'b1e5c0de-3a44-4f0b-9a57-2c6d8e1f7a90',
        customerId: '3f8a1c52-9d0e-4b7a-8c61-5e2d7f4a9b10',
        status: 'PENDING',
        total: { amount: 12.75, currency: 'USD' },
        items: [exampleItem],
        createdAt: '2026-01-31T09:30:00.000Z',
        updatedAt: '2026-01-31T09:30:00.000Z',
        version: 1,
        shippingAddress: null,
        metadata: null,
        payment: { status: 'pending', refunded: { amount: 0, currency: 'USD' } },
      },
    ],
  });
