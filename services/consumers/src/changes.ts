import type { Money } from '@store/shared/values/money';

/** What events make of this database, collected while they are handled, written all at once (change-store.ts). */
export interface Changes {
  notifications: Notification[];
  figures: FigureChange[];
  invoices: Invoice[];
}

export interface Notification {
  /** That of the event. */
  id: string;
  orderId: string;
  customerId: string;
  kind: string;
  subject: string;
  text: string;
}

export type Counted = 'orders' | 'paid' | 'cancelled' | 'refunded';

export interface FigureChange {
  /** 2026-01-31, in UTC */
  day: string;
  /** Which count is one more. */
  counted: Counted;
  revenue?: Money;
  refund?: Money;
}

export interface Invoice {
  orderId: string;
  customerId: string;
  paymentId: string;
  amount: Money;
  paidAt: string;
}
