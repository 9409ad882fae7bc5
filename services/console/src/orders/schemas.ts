import { letterOut } from '@store/shared/contracts/dead-letters';
import { notificationOut } from '@store/shared/contracts/notification';
import { orderOut, orderStatuses } from '@store/shared/contracts/order';
import {
  orderRecordOut,
  paymentRecordOut,
  reservationRecordOut,
  stuckOrdersOut,
} from '@store/shared/contracts/order-record';
import { text, uuid } from '@store/shared/values/fields';
import { z } from 'zod';
import { anyDecision } from '../dead-letters/schemas.ts';

// What services answer, also those of a later release, which may have further statuses.
const status = z.string();
export const anyOrder = orderOut.extend({ status });
export const anyOrderRecord = orderRecordOut.extend({ status });
export const anyReservation = reservationRecordOut.extend({ status });
export const anyPayment = paymentRecordOut.extend({ status });
export const anyStuckOrders = stuckOrdersOut.extend({ orders: z.array(anyOrder) });

export const ordersOut = z.object({
  orders: z.array(anyOrder),
  next: z.string().nullable().describe('For `after`, to go on.'),
  customer: z.string().nullable().describe('Name of the customer who is asked for; null if it is not known.'),
});

/** As the order service has them; it says what is wrong with a value. */
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

export const foundOut = z.object({
  orders: z.array(anyOrder).describe('By the first digits of the id, or the number of the invoice.'),
  customers: z.array(z.object({ id: uuid, name: z.string(), email: z.string() })),
  problems: z.array(z.string()).describe('Messages about services that could not be asked.'),
});

export const letterOfOrderOut = letterOut
  .pick({ id: true, kind: true, error: true, time: true })
  .extend({ group: z.string(), service: z.string(), decisions: z.array(anyDecision).describe('The oldest first.') });

const stepOut = z.object({
  at: z.string(),
  service: z.string().describe('Name of the lane: a service, for its worker as well.'),
  text: z.string(),
  isBad: z.boolean().optional().describe('Something failed, or was given up.'),
  detail: z.string().optional().describe('Further text, such as the event as it was published.'),
  traceId: z.string().optional(),
});

export const orderPageOut = z.object({
  order: anyOrderRecord.nullable().describe('Null if order has not answered.'),
  customer: z.string().nullable().describe('Name of the customer; null if it is not known.'),
  mails: z.array(notificationOut).describe('The oldest first.'),
  invoices: z.array(z.int()).describe('Their numbers.'),
  timeline: z.array(stepOut).describe('The oldest first.'),
  waitingFor: z.array(z.string()),
  letters: z.array(letterOfOrderOut).describe('Its dead letters, those that are decided as well.'),
  discarded: z.array(z.string()),
  problems: z.array(z.string()).describe('Messages about services that could not be asked.'),
});

export type OrdersQuery = z.output<typeof ordersQuery>;
export type Step = z.output<typeof stepOut>;
