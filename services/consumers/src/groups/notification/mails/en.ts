import type { Words } from './words.ts';

export const en: Words = {
  greeting: (name) => (name === undefined ? 'Hello,' : `Hello ${name},`),
  digest: {
    subject: 'News about your orders',
    text: 'There was a lot of news about your orders within an hour. Here it is:',
  },
  more: (count) => `And ${count} more. The shop shows them with your orders.`,
  messages: {
    OrderCreated: ({ orderId, amount }) => ({
      subject: 'We have received your order',
      text: `Thank you. We have received your order ${orderId}${amount ? ` of ${amount}` : ''}.`,
    }),
    OrderPaid: ({ orderId, amount }) => ({
      subject: 'Your order is paid',
      text: `We have received ${amount} for your order ${orderId} and are preparing it.`,
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
      text: `We have refunded ${amount} for your order ${orderId}.`,
    }),
    RefundIssued: ({ orderId, amount }) => ({
      subject: 'A part of your payment is on its way back',
      text: `We have refunded ${amount} of what you paid for your order ${orderId}.`,
    }),
    OrderShipped: ({ orderId, shipmentId, parcel }) => ({
      subject: 'Your order is on its way',
      text: [
        `Your order ${orderId} has been shipped. The shipment number is ${shipmentId}.`,
        ...(parcel?.carrier ? [`Carrier: ${parcel.carrier}.`] : []),
        ...(parcel?.trackingNumber ? [`Tracking number: ${parcel.trackingNumber}.`] : []),
        ...(parcel?.trackingUrl ? [`See where it is: ${parcel.trackingUrl}`] : []),
      ].join(' '),
    }),
    AccountRegistered: ({ requestId }) =>
      requestId === undefined
        ? { subject: 'Welcome to the store', text: 'Thank you for registering. You can order now.' }
        : {
            subject: 'Confirm your e-mail address',
            text: 'An account was registered with this address. Confirm the address within a day. Until then we send no other e-mails to it, and may refuse orders. If it was not you, do nothing.',
            link: 'Confirm the address',
          },
    PasswordResetRequested: () => ({
      subject: 'Set a new password',
      text: 'Someone, hopefully you, asked for a new password for your account. If it was not you, do nothing: the link expires in 30 minutes.',
      link: 'Set a new password',
    }),
    PasswordChanged: () => ({
      subject: 'Your password has been changed',
      text: 'The password of your account has been changed, and all other sessions have ended. If it was not you, ask for a new password at once.',
    }),
    EmailChangePending: () => ({
      subject: 'Your e-mail address is about to change',
      text: 'Someone who knows your password asked to change the e-mail address of your account. If it was you, do nothing here. If not, cancel the change, and then change your password.',
      link: 'Cancel the change',
    }),
    EmailChangeRequested: () => ({
      subject: 'Confirm your e-mail address',
      text: 'Confirm that this is the new address of your account, within a day.',
      link: 'Confirm the address',
    }),
    EmailChanged: () => ({
      subject: 'Your e-mail address has been changed',
      text: 'Your account now has a different e-mail address, and we no longer use this one. If it was not you, write to us.',
    }),
    ApiKeyMade: () => ({
      subject: 'Your account has a new API key',
      text: 'An API key was made, with which a machine can act for your account. If it was not you, change your password at once. That ends all keys.',
    }),
    WebhookEnded: ({ host }) => ({
      subject: 'A webhook has ended',
      text: `The store no longer sends events to ${host}: it has answered 410, or has accepted nothing for days. The console shows why. Once it works again, an operator can have the webhook go on and send the events again.`,
    }),
  },
};
