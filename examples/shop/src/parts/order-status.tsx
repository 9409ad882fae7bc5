import type { Order } from '@store-platform/client';

type State = Pick<Order, 'status' | 'shippedAt'>;

const words: Record<Order['status'], string> = { PENDING: 'Pending', CONFIRMED: 'Confirmed', CANCELLED: 'Cancelled' };

/** Tells whether this page knows a status: the store may be of a later release. */
export const isKnown = (status: string): status is Order['status'] => Object.hasOwn(words, status);

/** Such as `Confirmed`; a status that is not known as it is. Its shape says the same as its colour. */
export function OrderStatus({ order: { status, shippedAt } }: { order: State }) {
  if (!isKnown(status)) return <span class="status">{status}</span>;
  const word = shippedAt ? 'Shipped' : words[status];
  return <span class={`status ${word.toLowerCase()}`}>{word}</span>;
}

/** Enough of an order's id to tell it from a customer's others. */
export const shortId = (id: string) => id.slice(0, 8).toUpperCase();

/** A time as the customer's clock has it, such as `Jan 31, 2026, 9:30 AM`. */
export const when = (timestamp: string) =>
  new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(timestamp));
