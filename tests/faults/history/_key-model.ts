import type { Model } from './_linearizability.ts';

/** POST /orders with an Idempotency-Key. Without a response, it may have placed an order whose id is unknown. */
export interface Placement {
  orderId?: string;
  /** True if the response was a stored one (Idempotency-Replayed). */
  isReplayed?: boolean;
}

const unknownOrder = 'unknown';

/** A key stands for at most one order (contract 4.7): the first request places it, all others get the same order. */
export const keyModel: Model<string | null, Placement> = {
  initial: null,
  next(order, { orderId, isReplayed }) {
    if (orderId === undefined) return [order ?? unknownOrder];
    const isPossible = isReplayed ? order === orderId || order === unknownOrder : order === null;
    return isPossible ? [orderId] : [];
  },
};
