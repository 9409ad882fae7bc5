import type { decisionOut } from '@store/shared/contracts/dead-letters';
import type { invoiceOut } from '@store/shared/contracts/invoice';
import type { notificationOut } from '@store/shared/contracts/notification';
import type { orderRecordOut, paymentRecordOut, reservationRecordOut } from '@store/shared/contracts/order-record';
import type { z } from 'zod';

export type OrderRecord = z.output<typeof orderRecordOut>;
export type Event = OrderRecord['events'][number];

export interface Letter {
  id: string;
  group: string;
  service: string;
  kind: string | null;
  error: string;
  time: string | null;
  /** The oldest first. */
  decisions: z.output<typeof decisionOut>[];
}

/** All that is known of an order; undefined where a service knows nothing, or did not answer (then it is in `problems`). */
export interface Parts {
  order: OrderRecord | undefined;
  reservation: z.output<typeof reservationRecordOut> | undefined;
  payment: z.output<typeof paymentRecordOut> | undefined;
  mails: z.output<typeof notificationOut>[];
  invoices: z.output<typeof invoiceOut>[];
  /** Its dead letters, those that are decided as well. */
  letters: Letter[];
  problems: string[];
}
