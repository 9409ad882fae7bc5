import type { Handlers } from '@store/shared/messaging/consumer/consumer';
import type { EventKind, OrderEvent } from '@store/shared/messaging/events';
import { type Money, minorUnit } from '@store/shared/values/money';
import type { Changes } from '../../changes.ts';

type Message<K extends EventKind> = (event: OrderEvent<K>['payload']) => { subject: string; text: string };

/** What a customer is told (decisions 8, Groups). */
const messages = {
  OrderCreated: ({ orderId, total }) => ({
    subject: 'We have received your order',
    text: `Thank you. Your order ${orderId}${total ? ` of ${inWords(total)}` : ''} is with us.`,
  }),
  OrderPaid: ({ orderId, amount }) => ({
    subject: 'Your order is paid',
    text: `We have received ${inWords(amount)} for your order ${orderId}, and get it ready.`,
  }),
  PaymentFailed: ({ orderId, reason }) => ({
    subject: 'Your payment has failed',
    text: `The payment of your order ${orderId} has failed: ${reason}. The order is cancelled, you owe nothing.`,
  }),
  StockRejected: ({ orderId }) => ({
    subject: 'We cannot deliver your order',
    text: `Not all items of your order ${orderId} are in stock. The order is cancelled, you owe nothing.`,
  }),
  OrderCancelled: ({ orderId, reason }) => ({
    subject: 'Your order is cancelled',
    text: `Your order ${orderId} is cancelled: ${reason}.`,
  }),
  PaymentRefunded: ({ orderId, amount }) => ({
    subject: 'Your money is on its way back',
    text: `We have refunded ${inWords(amount)} for your order ${orderId}.`,
  }),
  OrderShipped: ({ orderId, shipmentId }) => ({
    subject: 'Your order is on its way',
    text: `Your order ${orderId} has left us as shipment ${shipmentId}.`,
  }),
} satisfies { [K in EventKind]?: Message<K> };

export const notificationHandlers = Object.fromEntries(
  Object.entries(messages).map(([kind, message]) => [
    kind,
    async ({ id, payload }: OrderEvent, { notifications }: Changes) => {
      const { subject, text } = (message as Message<EventKind>)(payload);
      const { orderId, customerId } = payload;
      notifications.push({ id, orderId, customerId, kind, subject, text: text.replaceAll('\0', '') });
    },
  ]),
) as Handlers<Changes>;

function inWords({ amount, currency }: Money): string {
  return `${amount.toFixed(Math.max(minorUnit(currency), amount.decimalPlaces()))} ${currency}`;
}
