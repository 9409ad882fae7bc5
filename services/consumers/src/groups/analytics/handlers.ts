import type { Handlers } from '@store/shared/messaging/consumer/consumer';
import type { Changes } from '../../changes.ts';

/** What the day's figures are made of (decisions 8, Groups): the day on which something happened, not that of its handling. */
export const analyticsHandlers: Handlers<Changes> = {
  async OrderCreated({ payload }, { figures }) {
    figures.push({ day: dayOf(payload), counted: 'orders' });
  },
  async OrderPaid({ payload }, { figures }) {
    figures.push({ day: dayOf(payload), counted: 'paid', revenue: payload.amount });
  },
  async OrderCancelled({ payload }, { figures }) {
    figures.push({ day: dayOf(payload), counted: 'cancelled' });
  },
  async PaymentRefunded({ payload }, { figures }) {
    figures.push({ day: dayOf(payload), counted: 'refunded', refund: payload.amount });
  },
};

const dayOf = ({ timestamp }: { timestamp: string }) => new Date(timestamp).toISOString().slice(0, 10);
