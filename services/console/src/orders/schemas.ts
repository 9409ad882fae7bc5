import { letterOut } from '@store/shared/contracts/dead-letters';
import { orderOut } from '@store/shared/contracts/order';
import {
  orderRecordOut,
  paymentRecordOut,
  reservationRecordOut,
  stuckOrdersOut,
} from '@store/shared/contracts/order-record';
import { z } from 'zod';
import { anyDecision } from '../dead-letters/schemas.ts';

// What services answer, also those of a later release, which may have further statuses.
const status = z.string();
export const anyOrder = orderOut.extend({ status });
export const anyOrderRecord = orderRecordOut.extend({ status });
export const anyReservation = reservationRecordOut.extend({ status });
export const anyPayment = paymentRecordOut.extend({ status });
export const anyStuckOrders = stuckOrdersOut.extend({ orders: z.array(anyOrder) });

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
  timeline: z.array(stepOut).describe('The oldest first.'),
  waitingFor: z.array(z.string()),
  letters: z.array(letterOfOrderOut).describe('Its dead letters, those that are decided as well.'),
  discarded: z.array(z.string()),
  problems: z.array(z.string()).describe('Messages about services that could not be asked.'),
});

export type Step = z.output<typeof stepOut>;
