import { type Address, type Money, type Order, StoreProblem } from '@store-platform/client';
import type { Basket, Line } from './basket.ts';
import { drop, keep, kept } from './kept.ts';
import { codeOf } from './sentences.ts';
import { store } from './store.ts';
import { inTurn } from './tabs.ts';

/** An order that was sent and has not been answered, perhaps because the page was closed. */
export interface Attempt {
  /** Its Idempotency-Key. */
  key: string;
  /** When it was sent first, in milliseconds since 1970. */
  at: number;
  lines: readonly Pick<Line, 'id' | 'name' | 'quantity'>[];
  total: Money;
  address?: Address | undefined;
}

/** A little less than the store keeps a key (contract 4.7): no repetition may come so late that it is a second order. */
const keptMs = 24 * 3_600_000 - 120_000;
/** After these the store has decided; after any other failure the order may have been placed. */
const refusals = new Set([400, 413, 422]);
/** The answers that this page is waiting for, by key. */
const sending = new Map<string, Promise<Order>>();
let present = new AbortController();

const nameOf = (accountId: string) => `shop.attempt.${accountId}`;

/** The last attempt of an account, until it is a day old. */
export function unanswered(accountId: string): Attempt | undefined {
  const attempt = kept<Attempt | null>(nameOf(accountId), null);
  if (attempt && Date.now() - attempt.at < keptMs) return attempt;
  if (attempt) forget(accountId);
  return undefined;
}

/** Returns the answer, if this page still waits for it. */
export const answerTo = ({ key }: Attempt): Promise<Order> | undefined => sending.get(key);

export const keepAttempt = (accountId: string, attempt: Attempt) => keep(nameOf(accountId), attempt);
export const forget = (accountId: string) => drop(nameOf(accountId));

/** Asks whether an attempt has arrived, which places nothing. */
export async function orderOf({ key }: Attempt): Promise<Order | undefined> {
  const { content } = await store.listOrders({ query: { idempotencyKey: key } });
  return content[0];
}

/** Its lines leave the basket, once, though several tabs may learn that it has arrived. */
export function settle(accountId: string, { key, lines }: Attempt, basket: Basket): void {
  if (unanswered(accountId)?.key !== key) return;
  forget(accountId);
  basket.take(lines);
}

/** Ends what is being sent, once somebody else may be logged in: the attempt is kept for the one who has made it. */
export function stopSending(): void {
  present.abort();
  present = new AbortController();
}

/** With the customer, so that the store refuses it under the cookie of another account (403). */
const orderBy = (customerId: string, attempt: Attempt) => ({ ...bodyOf(attempt), customerId });

const bodyOf = ({ lines, total, address }: Pick<Attempt, 'lines' | 'total' | 'address'>) => ({
  items: lines.map(({ id, quantity }) => ({ productId: id, quantity })),
  expectedTotal: total,
  shippingAddress: address,
});

/** Two tabs must not decide at once what to order. */
export const orderInTurn = (accountId: string, act: () => Promise<void>) => inTurn(nameOf(accountId), act);

/** Sends an attempt. Its key is the same each time, so that there is one order (contract 4.7). */
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
 * The attempt to order this: the kept one if it is for the same, as after a second click. One for something else is given up,
 * unless it has arrived. A new one has the key of the basket, since a tab may not see yet what another one has just kept.
 * @returns the attempt, and the order that has arrived instead
 */
export async function attemptOf(
  accountId: string,
  basket: Basket,
  total: Money,
  address: Address | undefined,
): Promise<{ attempt: Attempt; arrived?: Order }> {
  const before = unanswered(accountId);
  const wanted = { lines: basket.lines.map(({ id, name, quantity }) => ({ id, name, quantity })), total, address };
  if (before && JSON.stringify(bodyOf(before)) === JSON.stringify(bodyOf(wanted))) return { attempt: before };
  const arrived = before && (await orderOf(before));
  if (before && arrived) return { attempt: before, arrived };
  return { attempt: { key: basket.key(), at: Date.now(), ...wanted } };
}
