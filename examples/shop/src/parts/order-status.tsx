import type { Order } from '@store-platform/client';

type State = Pick<Order, 'status' | 'shippedAt'>;

const words: Record<Order['status'], string> = { PENDING: 'Pending', CONFIRMED: 'Confirmed', CANCELLED: 'Cancelled' };

/** Tells whether this page knows a status. The store may be of a later release. */
export const isKnown = (status: string): status is Order['status'] => Object.hasOwn(words, status);

/** Shows a status, such as `Confirmed`; an unknown status unchanged. Shape and colour say the same. */
export function OrderStatus({ order: { status, shippedAt } }: { order: State }) {
  if (!isKnown(status)) return <span class="status">{status}</span>;
  const word = shippedAt ? 'Shipped' : words[status];
  return <span class={`status ${word.toLowerCase()}`}>{word}</span>;
}

/** Enough of an order's id to distinguish a customer's orders. */
export const shortId = (id: string) => id.slice(0, 8).toUpperCase();

/** A time in the customer's time zone and language, such as `Jan 31, 2026, 9:30 AM`. */
export const when = (timestamp: string) =>
  new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(timestamp));
