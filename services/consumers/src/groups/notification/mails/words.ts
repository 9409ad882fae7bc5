import type { AccountEventKind, EventKind } from '@store/shared/messaging/events';

/** Kinds of events that customers are written about. */
export const orderKinds = [
  'OrderCreated',
  'OrderPaid',
  'PaymentFailed',
  'StockRejected',
  'OrderCancelled',
  'PaymentRefunded',
  'OrderShipped',
] as const satisfies EventKind[];
export const accountKinds = [
  'AccountRegistered',
  'PasswordResetRequested',
  'PasswordChanged',
  'EmailChangePending',
  'EmailChangeRequested',
  'EmailChanged',
  'ApiKeyMade',
] as const satisfies AccountEventKind[];

/** Kinds after which nothing is written any more. */
export const lastKind = 'AccountDeleted' satisfies AccountEventKind;

export type OrderKind = (typeof orderKinds)[number];
export type AccountKind = (typeof accountKinds)[number];
export type MailKind = OrderKind | AccountKind;

/** A mail that has the messages of an hour, beyond those that were mailed one by one. */
export const digestKind = 'Digest';

/** The content of an event, as texts: ids, reasons, and amounts such as 12.50 USD. */
export type MailData = Partial<Record<'orderId' | 'amount' | 'reason' | 'shipmentId' | 'requestId', string>>;

export interface Message {
  subject: string;
  text: string;
  /** Words of the link, where there is one; its page is by kind. */
  link?: string;
}

/** The words of a language. */
export interface Words {
  /** Begins every mail; without a name where the address is not confirmed. */
  greeting(name: string | undefined): string;
  messages: Record<MailKind, (data: MailData) => Message>;
  digest: Message;
  /** Ends a digest of more messages than it lists. */
  more(count: number): string;
}
