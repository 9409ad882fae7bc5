import type { AccountEventKind, EventKind } from '@store/shared/messaging/events';

/** Kinds of events about which customers get a message. */
export const orderKinds = [
  'OrderCreated',
  'OrderPaid',
  'PaymentFailed',
  'StockRejected',
  'OrderCancelled',
  'PaymentRefunded',
  'RefundIssued',
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

/** Messages that no event is about: the endpoint of a webhook has ended. */
export const ownKinds = ['WebhookEnded'] as const;

/** The kind after which an account gets no more messages. */
export const lastKind = 'AccountDeleted' satisfies AccountEventKind;

export type OrderKind = (typeof orderKinds)[number];
export type AccountKind = (typeof accountKinds)[number];
export type MailKind = OrderKind | AccountKind | (typeof ownKinds)[number];

/** A mail with the messages of an hour that were not mailed one by one. */
export const digestKind = 'Digest';

/** Text fields of events that mails mention. */
export const mailFields = ['orderId', 'reason', 'shipmentId', 'requestId'] as const;

/** The content of an event as strings: its text fields, and its amount, such as 12.50 USD; or the host of a webhook. */
export type MailData = Partial<Record<(typeof mailFields)[number] | 'amount' | 'host', string>>;

/** What was entered about a shipment. It is in no event, and is asked for when the mail is sent. */
export interface Parcel {
  carrier: string | null;
  trackingNumber: string | null;
  trackingUrl: string | null;
}

export interface Message {
  subject: string;
  text: string;
  /** The text of the link, if there is a link. Its page depends on the kind. */
  link?: string;
}

/** The words of a language. */
export interface Words {
  /** Begins every mail. The name is undefined if the address is not confirmed. */
  greeting(name: string | undefined): string;
  messages: Record<MailKind, (data: MailData & { parcel?: Parcel | undefined }) => Message>;
  digest: Message;
  /** Ends a digest that has more messages than it lists. */
  more(count: number): string;
}
