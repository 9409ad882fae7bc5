import { letterOut } from '@store/shared/contracts/dead-letters';
import { notificationOut } from '@store/shared/contracts/notification';
import { orderOut, orderStatuses } from '@store/shared/contracts/order';
import {
  orderRecordOut,
  paymentRecordOut,
  reservationRecordOut,
  stuckOrdersOut,
} from '@store/shared/contracts/order-record';
import { disputeRecordOut, refundIn, refundRecordOut } from '@store/shared/contracts/refund';
import { text, uuid } from '@store/shared/values/fields';
import { moneySchema } from '@store/shared/values/money';
import { z } from 'zod';
import { anyDecision } from '../dead-letters/schemas.ts';

// Answers of services, which may be of a later release with further statuses.
const status = z.string();
/** Operators need not know where the customer has to go. */
const payment = z.object({ status, refunded: moneySchema }).optional();
export const anyOrder = orderOut.extend({ status, payment });
export const anyOrderRecord = orderRecordOut.extend({ status, payment });
export const anyReservation = reservationRecordOut.extend({ status });
const anyRefund = refundRecordOut.extend({ state: status, source: z.string() });
const anyDispute = disputeRecordOut.extend({ state: status });
export const anyPayment = paymentRecordOut.extend({
  status,
  refunds: z.array(anyRefund).default([]),
  disputes: z.array(anyDispute).default([]),
});
export const anyStuckOrders = stuckOrdersOut.extend({ orders: z.array(anyOrder) });

const listedOrder = anyOrder.extend({ customerName: z.string().nullable().describe('Null if it is not known.') });
export const stuckPageOut = anyStuckOrders.extend({ orders: z.array(listedOrder) });

export const ordersOut = z.object({
  orders: z.array(listedOrder),
  next: z.string().nullable().describe('Value of `after` for the next page.'),
  customer: z.string().nullable().describe('Name of the requested customer; null if it is not known.'),
});

/** A refund of lines, or of an amount that payment validates. */
export const refundOrderIn = z.object({
  lines: refundIn.shape.lines,
  amount: z
    .object({
      amount: z.string().regex(/^\d{1,24}(\.\d{1,4})?$/, 'must be an amount, such as 12.50'),
      currency: z.string().regex(/^[A-Z]{3}$/),
    })
    .optional(),
  reason: text(1, 500),
});

export type RefundOrderIn = z.output<typeof refundOrderIn>;

/** Passed on to the order service, which validates the values. */
export const ordersQuery = z.object({
  status: z.enum(orderStatuses).optional(),
  customer: uuid.optional(),
  createdFrom: text(1, 40).optional(),
  createdTo: text(1, 40).optional(),
  minTotal: text(1, 40).optional(),
  maxTotal: text(1, 40).optional(),
  currency: text(1, 3).optional(),
  after: text(1, 2_000).optional(),
});

/** Passed on to the order service, which validates the values. */
export const shipmentFields = z.object({
  carrier: text(1, 80).optional(),
  trackingNumber: text(1, 80).optional(),
  trackingUrl: text(1, 2_000).optional(),
});

export const foundOut = z.object({
  orders: z.array(listedOrder).describe('Found by the first digits of the id, or by the invoice number.'),
  customers: z.array(z.object({ id: uuid, name: z.string(), email: z.string() })),
  problems: z.array(z.string()).describe('Messages about services that did not answer.'),
});

export const letterOfOrderOut = letterOut
  .pick({ id: true, kind: true, error: true, time: true })
  .extend({ group: z.string(), service: z.string(), decisions: z.array(anyDecision).describe('Oldest first.') });

const stepOut = z.object({
  at: z.string(),
  service: z.string().describe('Name of the lane: a service, which includes its worker.'),
  text: z.string(),
  isBad: z.boolean().optional().describe('A failure, or something was given up.'),
  detail: z.string().optional().describe('Further text, such as the event as it was published.'),
  traceId: z.string().optional(),
});

export const orderPageOut = z.object({
  order: anyOrderRecord.nullable().describe('Null if the order service did not answer.'),
  customer: z.string().nullable().describe('Name of the customer; null if it is not known.'),
  mails: z.array(notificationOut).describe('Oldest first.'),
  invoices: z.array(z.int()).describe('Invoice numbers.'),
  creditNotes: z.array(z.int()).describe('Credit note numbers.'),
  payment: z
    .object({ status, amount: anyPayment.shape.amount })
    .nullable()
    .describe('Null if there is none, or the payment service did not answer.'),
  refunds: z.array(anyRefund).describe('Oldest first.'),
  disputes: z.array(anyDispute).describe('Oldest first.'),
  timeline: z.array(stepOut).describe('Oldest first.'),
  waitingFor: z.array(z.string()),
  letters: z.array(letterOfOrderOut).describe('Dead letters of the order, including decided ones.'),
  discarded: z.array(z.string()),
  problems: z.array(z.string()).describe('Messages about services that did not answer.'),
});

export type OrdersQuery = z.output<typeof ordersQuery>;
export type Step = z.output<typeof stepOut>;
