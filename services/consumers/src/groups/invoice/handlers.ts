import type { Handlers } from '@store/shared/messaging/consumer/consumer';
import type { Changes } from '../../changes.ts';

export const invoiceHandlers: Handlers<Changes> = {
  async OrderPaid({ payload: { orderId, customerId, paymentId, amount, timestamp } }, { invoices }) {
    invoices.push({ orderId, customerId, paymentId, amount, paidAt: timestamp });
  },
};
