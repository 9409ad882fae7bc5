import { type Address, type Money, type Order, StoreProblem } from '@store-platform/client';
import type { Basket, Line } from './basket.ts';
import { codeOf } from './sentences.ts';
import { drop, keep, stored } from './storage.ts';
import { store } from './store.ts';
import { inTurn } from './tabs.ts';

/** An order that was sent and got no answer, perhaps because the page was closed. */
export interface Attempt {
  /** Its Idempotency-Key. */
  key: string;
  /** When it was first sent, in milliseconds since 1970. */
  at: number;
  lines: readonly Pick<Line, 'id' | 'name' | 'quantity'>[];
  total: Money;
  address?: Address | undefined;
  /** What it is paid with. */
  token?: string | undefined;
}

/** A little less than the store keeps a key (contract 4.7): a later repetition would place a second order. */
const keptMs = 24 * 3_600_000 - 120_000;
/** With these statuses no order was placed. After any other failure it may have been. */
const refusals = new Set([400, 413, 422]);
/** Answers that this page waits for, by key. */
const sending = new Map<string, Promise<Order>>();
let present = new AbortController();

const nameOf = (accountId: string) => `shop.attempt.${accountId}`;

/** The last attempt of an account, if it is less than a day old. */
export function unanswered(accountId: string): Attempt | undefined {
  const attempt = stored<Attempt | null>(nameOf(accountId), null);
  if (attempt && Date.now() - attempt.at < keptMs) return attempt;
  if (attempt) forget(accountId);
  return undefined;
}

/** Returns the answer if this page still waits for it. */
export const answerTo = ({ key }: Attempt): Promise<Order> | undefined => sending.get(key);

export const keepAttempt = (accountId: string, attempt: Attempt) => keep(nameOf(accountId), attempt);
export const forget = (accountId: string) => drop(nameOf(accountId));

/** Asks whether an attempt has arrived, without placing an order. */
export async function orderOf({ key }: Attempt): Promise<Order | undefined> {
  const { content } = await store.listOrders({ query: { idempotencyKey: key } });
  return content[0];
}

/** Removes its lines from the basket. That happens only once, even if several tabs learn that it has arrived. */
export function settle(accountId: string, { key, lines }: Attempt, basket: Basket): void {
  if (unanswered(accountId)?.key !== key) return;
  forget(accountId);
  basket.take(lines);
}

/** Aborts orders being sent, since another account may be logged in now. The attempt is kept for its own account. */
export function stopSending(): void {
  present.abort();
  present = new AbortController();
}

/** Names the customer, so that the store refuses the order if the cookie belongs to another account (403). */
const orderBy = (customerId: string, attempt: Attempt) => ({ ...bodyOf(attempt), customerId });

const bodyOf = ({ lines, total, address, token }: Omit<Attempt, 'key' | 'at'>) => ({
  items: lines.map(({ id, quantity }) => ({ productId: id, quantity })),
  expectedTotal: total,
  shippingAddress: address,
  payment: token === undefined ? undefined : { token },
});

/** Prevents two tabs from deciding at the same time what to order. */
export const orderInTurn = (accountId: string, act: () => Promise<void>) => inTurn(nameOf(accountId), act);

/** Sends an attempt. Its key is the same each time, so that it places only one order (contract 4.7). */
export async function send(accountId: string, attempt: Attempt): Promise<Order> {
  keepAttempt(accountId, attempt);
  const answer = store.placeOrder(
    { body: orderBy(accountId, attempt) },
    { idempotencyKey: attempt.key, signal: present.signal },
  );
  sending.set(attempt.key, answer);
  try {
    return await answer;
  } catch (error) {
    const isRefused = error instanceof StoreProblem && refusals.has(error.status);
    if (isRefused || codeOf(error) === 'price-changed') forget(accountId);
    throw error;
  } finally {
    sending.delete(attempt.key);
  }
}

/**
 * Returns the attempt to order this: the kept attempt if it is for the same, as after a second click. A kept attempt for something else
 * is given up unless it has arrived. A new attempt uses the basket's key, since a tab may not yet see what another tab has just kept.
 * @returns the attempt, and its order if an earlier attempt has arrived
 */
export async function attemptOf(
  accountId: string,
  basket: Basket,
  order: Pick<Attempt, 'total' | 'address' | 'token'>,
): Promise<{ attempt: Attempt; arrived?: Order }> {
  const before = unanswered(accountId);
  const wanted = { lines: basket.lines.map(({ id, name, quantity }) => ({ id, name, quantity })), ...order };
  if (before && JSON.stringify(bodyOf(before)) === JSON.stringify(bodyOf(wanted))) return { attempt: before };
  const arrived = before && (await orderOf(before));
  if (before && arrived) return { attempt: before, arrived };
  return { attempt: { key: basket.key(), at: Date.now(), ...wanted } };
}
