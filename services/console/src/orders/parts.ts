import type { creditNoteOut } from '@store/shared/contracts/credit-note';
import type { invoiceOut } from '@store/shared/contracts/invoice';
import type { notificationOut } from '@store/shared/contracts/notification';
import type { z } from 'zod';
import type { anyOrderRecord, anyPayment, anyReservation, letterOfOrderOut } from './schemas.ts';

export type Event = z.output<typeof anyOrderRecord>['events'][number];
export type Note = z.output<typeof anyOrderRecord>['notes'][number];
export type Refund = z.output<typeof anyPayment>['refunds'][number];
export type Letter = z.output<typeof letterOfOrderOut>;

/** Everything known about an order; undefined if a service knows nothing, or did not answer (then `problems` says so). */
export interface Parts {
  order: z.output<typeof anyOrderRecord> | undefined;
  reservation: z.output<typeof anyReservation> | undefined;
  payment: z.output<typeof anyPayment> | undefined;
  mails: z.output<typeof notificationOut>[];
  invoices: z.output<typeof invoiceOut>[];
  creditNotes: z.output<typeof creditNoteOut>[];
  letters: Letter[];
  problems: string[];
}
