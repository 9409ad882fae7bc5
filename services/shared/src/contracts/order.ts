import { z } from 'zod';
import { timestamp, uuid } from '../values/fields.ts';
import { moneySchema, pricedItem } from '../values/money.ts';
import { addressOut } from './address.ts';

export const orderStatuses = ['PENDING', 'CONFIRMED', 'CANCELLED'] as const;

/** The kinds of events of other services that the order service follows (contract 6.1). Its own are published after they have changed it. */
export const kindsFollowedByOrder = [
  'OrderPaid',
  'StockRejected',
  'StockReleased',
  'OrderShipped',
  'RefundIssued',
  'PaymentRefunded',
] as const;

/** Orders as their customers see them, for the service that tells other systems about events. */
export const shownOrdersOut = z.object({
  orders: z.array(z.looseObject({ id: z.string() })).describe('Those that are known, in any sequence.'),
  behind: z.array(z.string()).describe('Ids of events that the order service has not followed yet.'),
});

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

/** What was entered about a shipment: the text fields are shown as they are. */
const shipmentDetails = {
  carrier: z.string().nullable(),
  trackingNumber: z.string().nullable(),
  trackingUrl: z.string().nullable().describe('https only.'),
};

const exampleOrder = {
  id: 'b1e5c0de-3a44-4f0b-9a57-2c6d8e1f7a90',
  customerId: '3f8a1c52-9d0e-4b7a-8c61-5e2d7f4a9b10',
  status: 'PENDING' as const,
  total: { amount: 12.75, currency: 'USD' },
  items: [exampleItem],
  createdAt: '2026-01-31T09:30:00.000Z',
  updatedAt: '2026-01-31T09:30:00.000Z',
  version: 1,
  shippingAddress: null,
  metadata: null,
  payment: { status: 'pending' as const, refunded: { amount: 0, currency: 'USD' } },
  shipment: null,
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
    shipment: z
      .object(shipmentDetails)
      .nullable()
      .default(null)
      .describe('What was entered when the order was shipped; null if nothing was.'),
  })
  .meta({ id: 'OrderOut', examples: [exampleOrder] });

const exampleStoreOrder = { ...exampleOrder, cancelReason: null, deletedAt: null };

/** An order as operators see it, also once its owner has deleted it (contract 4.21). */
export const storeOrderOut = orderOut
  .extend({ cancelReason: z.string().nullable(), deletedAt: timestamp.nullable() })
  .meta({ id: 'StoreOrderOut', examples: [exampleStoreOrder] });

export const storeOrdersOut = z
  .object({
    content: z.array(storeOrderOut),
    next: z.string().describe('Opaque: the position after these orders, for `changedAfter`.'),
  })
  .meta({
    id: 'StoreOrdersOut',
    examples: [
      {
        content: [exampleStoreOrder],
        next: '5f2b8c1d9e3a7046-81734-b1e5c0de-3a44-4f0b-9a57-2c6d8e1f7a90',
      },
    ],
  });

/** contract 4.20 */
export const shipmentOut = z.object({ id: uuid, orderId: uuid, shippedAt: timestamp, ...shipmentDetails }).meta({
  id: 'ShipmentOut',
  examples: [
    {
      id: '0d9b4c1e-6a75-4f3d-8e12-9c7b5a3f2d10',
      orderId: 'b1e5c0de-3a44-4f0b-9a57-2c6d8e1f7a90',
      shippedAt: '2026-01-31T14:05:00.000Z',
      carrier: 'CTT Expresso',
      trackingNumber: 'DB123456789PT',
      trackingUrl: 'https://www.ctt.pt/track?id=DB123456789PT',
    },
  ],
});
