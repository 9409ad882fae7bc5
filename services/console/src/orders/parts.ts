// The services' answers about an order, as far as they are shown (contract 4.10 and 4.14).

export interface Event {
  id: string;
  kind: string;
  payload: string;
  traceId: string | null;
  createdAt: string;
  sentAt: string | null;
}

export interface OrderRecord {
  id: string;
  customerId: string;
  status: 'PENDING' | 'CONFIRMED' | 'CANCELLED';
  total: { amount: unknown; currency: string };
  items: { productId: string; quantity: number }[];
  createdAt: string;
  paidAt?: string;
  shippedAt?: string;
  cancelledAt?: string;
  cancelReason: string | null;
  deletedAt: string | null;
  events: Event[];
}

interface Record {
  status: string;
  createdAt: string;
  updatedAt: string;
  events: Event[];
}

export type Reservation = Record;
export type Payment = Record & { reason: string | null };

export interface Mail {
  kind: string;
  subject: string;
  createdAt: string;
  sentAt?: string;
  refusal?: string;
}

export interface Invoice {
  number: number;
  createdAt: string;
}

export interface Letter {
  id: string;
  group: string;
  service: string;
  kind: string | null;
  error: string;
  time: string | null;
  /** The oldest first. */
  decisions: { outcome: 'REDRIVEN' | 'FAILED' | 'DISCARDED'; reason: string | null; requestedBy: string; at: string }[];
}

/** All that is known of an order; undefined where a service knows nothing, or did not answer (then it is in `problems`). */
export interface Parts {
  order: OrderRecord | undefined;
  reservation: Reservation | undefined;
  payment: Payment | undefined;
  mails: Mail[];
  invoices: Invoice[];
  /** Its dead letters, those that are decided as well. */
  letters: Letter[];
  problems: string[];
}
