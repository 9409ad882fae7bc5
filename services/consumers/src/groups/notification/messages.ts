import type { AccountEvent, OrderEvent } from '@store/shared/messaging/events';
import { inDecimals, type Money } from '@store/shared/values/money';
import { storable } from '@store/shared/values/text';
import { en } from './mails/en.ts';
import { type AccountKind, type MailData, mailFields, type OrderKind } from './mails/words.ts';
import type { Notification } from './notification-repository.ts';

/** Whether an event says nothing new to the customer: everything had been refunded in parts before the order was cancelled. */
export const isSilent = ({ kind, payload }: OrderEvent<OrderKind>): boolean =>
  kind === 'PaymentRefunded' && payload.remainder?.amount.isZero() === true;

/** Makes the message to the customer about an event (contract 4.10). */
export function toNotification({ id, kind, payload }: OrderEvent<OrderKind> | AccountEvent<AccountKind>): Notification {
  const data = dataOf(payload);
  const { subject, text } = en.messages[kind](data);
  const customerId = 'customerId' in payload ? payload.customerId : payload.accountId;
  return { id, orderId: data.orderId, customerId, kind, data, subject, text };
}

function dataOf(payload: (OrderEvent | AccountEvent)['payload']): MailData {
  const { amount, remainder, total, ...fields } = payload as MailPayload;
  const data: MailData = {};
  for (const name of mailFields) {
    const text = fields[name];
    if (text !== undefined) data[name] = storable(text);
  }
  // Of the payment of a cancelled order, parts may have been refunded before.
  const money = remainder ?? amount ?? total;
  return money === undefined ? data : { ...data, amount: amountText(money) };
}

/** The fields of all kinds that mails mention. */
type MailPayload = Omit<MailData, 'amount'> & { amount?: Money; remainder?: Money; total?: Money };

const amountText = ({ amount, currency }: Money) => `${inDecimals(amount, currency)} ${currency}`;
