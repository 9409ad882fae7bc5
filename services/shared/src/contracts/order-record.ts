import { z } from 'zod';
import { timestamp, uuid } from '../values/fields.ts';
import { moneySchema } from '../values/money.ts';
import { orderOut } from './order.ts';
import { disputeRecordOut, refundRecordOut } from './refund.ts';

// Answers of the services to operators about an order (contract 4.14).

const eventOut = z
  .object({
    id: uuid,
    kind: z.string(),
    payload: z.string().describe('JSON, as it is published.'),
    traceId: z.string().nullable(),
    createdAt: timestamp,
    sentAt: timestamp.nullable().describe('When the broker acknowledged it.'),
  })
  .meta({ id: 'EventOut' });

const eventsOut = z.array(eventOut);

/** An operator's note about an order. A later release may have more kinds. */
const orderNoteOut = z
  .object({
    id: uuid,
    kind: z.string().describe('NOTE, or CANCELLATION: why an operator has cancelled the order.'),
    actor: z.string().describe('As in the audit trail.'),
    text: z.string(),
    createdAt: timestamp,
  })
  .meta({ id: 'OrderNoteOut' });

export const orderRecordOut = orderOut
  .extend({
    cancelReason: z.string().nullable(),
    deletedAt: timestamp.nullable(),
    events: eventsOut,
    // The order service of the previous release omits them.
    notes: z.array(orderNoteOut).default([]).describe('The oldest first.'),
  })
  .meta({ id: 'OrderRecordOut' });

export const stuckOrdersOut = z
  .object({
    total: z.int().describe('Counted up to 10000.'),
    orders: z.array(orderOut),
    next: z.string().nullable().describe('Cursor of the next page, for `after`.'),
  })
  .meta({ id: 'StuckOrdersOut' });

export const reservationStatuses = ['RESERVED', 'REJECTED', 'RELEASED', 'SHIPPED'] as const;

export const reservationRecordOut = z.object({
  orderId: uuid,
  customerId: uuid,
  status: z.enum(reservationStatuses),
  items: z.array(z.object({ productId: uuid, quantity: z.int() })),
  createdAt: timestamp,
  updatedAt: timestamp,
  events: eventsOut,
});

export const paymentStatuses = ['CHARGING', 'PAID', 'FAILED', 'REFUNDED', 'CANCELLED'] as const;

export const paymentRecordOut = z.object({
  orderId: uuid,
  customerId: uuid,
  status: z.enum(paymentStatuses),
  amount: moneySchema.nullable(),
  paymentId: uuid.nullable(),
  reason: z.string().nullable(),
  createdAt: timestamp,
  updatedAt: timestamp,
  events: eventsOut,
  // The payment service of the previous release omits them.
  refunds: z.array(refundRecordOut).default([]).describe('The oldest first.'),
  disputes: z.array(disputeRecordOut).default([]).describe('The oldest first.'),
});

export type OrderNoteOut = z.input<typeof orderNoteOut>;
export type EventOut = z.input<typeof eventOut>;
