import type { NewEvent } from '@store/shared/messaging/consumer/handle-once';
import type { EventKind, OrderEvent } from '@store/shared/messaging/events';
import { type Money, minorUnit } from '@store/shared/values/money';
import type { Notification } from './notification-repository.ts';

type Message<K extends EventKind> = (event: OrderEvent<K>['payload']) => { subject: string; text: string };

/** Messages to customers (contract 4.10). */
const messages = {
  OrderCreated: ({ orderId, total }) => ({
    subject: 'We have received your order',
    text: `Thank you. We have received your order ${orderId}${total ? ` of ${inWords(total)}` : ''}.`,
  }),
  OrderPaid: ({ orderId, amount }) => ({
    subject: 'Your order is paid',
    text: `We have received ${inWords(amount)} for your order ${orderId} and are preparing it.`,
  }),
  PaymentFailed: ({ orderId, reason }) => ({
    subject: 'Your payment failed',
    text: `The payment of your order ${orderId} failed: ${reason}. The order is cancelled and you owe nothing.`,
  }),
  StockRejected: ({ orderId, reason = 'out of stock' }) => ({
    subject: 'We cannot deliver your order',
    text: `We cannot deliver all items of your order ${orderId}: ${reason}. The order is cancelled and you owe nothing.`,
  }),
  OrderCancelled: ({ orderId, reason }) => ({
    subject: 'Your order is cancelled',
    text: `Your order ${orderId} is cancelled: ${reason}.`,
  }),
  PaymentRefunded: ({ orderId, amount }) => ({
    subject: 'Your refund is on its way',
    text: `We have refunded ${inWords(amount)} for your order ${orderId}.`,
  }),
  OrderShipped: ({ orderId, shipmentId }) => ({
    subject: 'Your order is on its way',
    text: `Your order ${orderId} has left us as shipment ${shipmentId}.`,
  }),
} satisfies { [K in EventKind]?: Message<K> };

export const notificationKinds = Object.keys(messages) as (keyof typeof messages)[];

export function toNotifications({ event: { id, kind, payload } }: NewEvent): Notification[] {
  const message = (messages as { [K in EventKind]?: Message<EventKind> })[kind];
  if (message === undefined) return [];
  const { subject, text } = message(payload);
  const { orderId, customerId } = payload;
  return [{ id, orderId, customerId, kind, subject, text: text.replaceAll('\0', '') }];
}

function inWords({ amount, currency }: Money): string {
  return `${amount.toFixed(Math.max(minorUnit(currency), amount.decimalPlaces()))} ${currency}`;
}
