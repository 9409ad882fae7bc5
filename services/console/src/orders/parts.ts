import type { invoiceOut } from '@store/shared/contracts/invoice';
import type { notificationOut } from '@store/shared/contracts/notification';
import type { orderRecordOut, paymentRecordOut, reservationRecordOut } from '@store/shared/contracts/order-record';
import type { z } from 'zod';
import type { letterOfOrderOut } from './schemas.ts';

export type Event = z.output<typeof orderRecordOut>['events'][number];
export type Letter = z.output<typeof letterOfOrderOut>;

/** All that is known of an order; undefined where a service knows nothing, or did not answer (then it is in `problems`). */
export interface Parts {
  order: z.output<typeof orderRecordOut> | undefined;
  reservation: z.output<typeof reservationRecordOut> | undefined;
  payment: z.output<typeof paymentRecordOut> | undefined;
  mails: z.output<typeof notificationOut>[];
  invoices: z.output<typeof invoiceOut>[];
  letters: Letter[];
  problems: string[];
}
