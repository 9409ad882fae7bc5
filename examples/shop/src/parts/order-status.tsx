import type { Order } from '@store-platform/client';

type State = Pick<Order, 'status' | 'shippedAt'>;

export const stateOf = ({ status, shippedAt }: State) => (shippedAt ? 'shipped' : status.toLowerCase());

/** Such as `Confirmed`. Its shape says the same as its colour. */
export function OrderStatus({ order }: { order: State }) {
  const state = stateOf(order);
  return <span class={`status ${state}`}>{`${state[0]?.toUpperCase()}${state.slice(1)}`}</span>;
}

/** Enough of an order's id to tell it from a customer's others. */
export const shortId = (id: string) => id.slice(0, 8).toUpperCase();

export const when = (timestamp: string) =>
  new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(timestamp));
