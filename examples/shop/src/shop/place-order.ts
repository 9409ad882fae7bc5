import { type NewOrder, type Order, StoreProblem } from '@store-platform/client';
import { keep, kept } from './kept.ts';
import { store } from './store.ts';

/** An order that was sent and has not been answered, perhaps because the page was closed. */
interface Attempt {
  accountId: string;
  key: string;
  items: NewOrder['items'];
}

const name = 'shop.attempt';
/** After these the store has decided; after any other failure the order may have been placed. */
const refusals = new Set([400, 403, 413, 422]);

/** Of that account; those of others who use this browser are left alone. */
export function unanswered(accountId: string): Attempt | undefined {
  const attempt = kept<Attempt | null>(name, null);
  return attempt?.accountId === accountId ? attempt : undefined;
}

/**
 * Places an order. Its Idempotency-Key is kept until the store has answered: a second click, another tab and a reload send
 * the same key, so that there is one order (contract 4.7).
 */
export function placeOrder(accountId: string, items: NewOrder['items']): Promise<Order> {
  const attempt = { accountId, key: unanswered(accountId)?.key ?? randomKey(), items };
  keep(name, attempt);
  return send(attempt);
}

export async function send({ key, items }: Attempt): Promise<Order> {
  try {
    const order = await store.placeOrder({ header: { 'idempotency-key': key }, body: { items } });
    keep(name, null);
    return order;
  } catch (error) {
    if (error instanceof StoreProblem && refusals.has(error.status)) keep(name, null);
    throw error;
  }
}

/** crypto.randomUUID is for secure contexts only; a store of one's own may be reached by plain HTTP. */
const randomKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
