import type { AccountEvent, OrderEvent } from '@store/shared/messaging/events';
import { inDecimals, type Money } from '@store/shared/values/money';
import { storable } from '@store/shared/values/text';
import { en } from './mails/en.ts';
import { type AccountKind, type MailData, mailFields, type OrderKind } from './mails/words.ts';
import type { Notification } from './notification-repository.ts';

/** Makes the message to the customer about an event (contract 4.10). */
export function toNotification({ id, kind, payload }: OrderEvent<OrderKind> | AccountEvent<AccountKind>): Notification {
  const data = dataOf(payload);
  const { subject, text } = en.messages[kind](data);
  const customerId = 'customerId' in payload ? payload.customerId : payload.accountId;
  return { id, orderId: data.orderId, customerId, kind, data, subject, text };
}

function dataOf(payload: (OrderEvent | AccountEvent)['payload']): MailData {
  const { amount, total, ...fields } = payload as MailPayload;
  const data: MailData = {};
  for (const name of mailFields) {
    const text = fields[name];
    if (text !== undefined) data[name] = storable(text);
  }
  const money = amount ?? total;
  return money === undefined ? data : { ...data, amount: amountText(money) };
}

/** The fields of all kinds that mails mention. */
type MailPayload = Omit<MailData, 'amount'> & { amount?: Money; total?: Money };

const amountText = ({ amount, currency }: Money) => `${inDecimals(amount, currency)} ${currency}`;
