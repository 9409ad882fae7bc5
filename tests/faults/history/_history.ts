import type { HttpResponse } from '../../kit/http.ts';
import type { Placement } from './_key-model.ts';
import type { Operation } from './_linearizability.ts';
import type { OrderAction } from './_order-model.ts';
import type { StockAction } from './_stock-model.ts';

type Observed<Action> = [object: string, operation: Operation<Action>][];

/** The observations of the store's clients, by object: an idempotency key, an order, the stock of a product. */
export interface History {
  keys: Observed<Placement>;
  orders: Observed<OrderAction>;
  stock: Observed<StockAction>;
}

/** A request and, unless the connection broke or it took too long, its response. */
export interface Exchange {
  response?: HttpResponse;
  error?: Error;
  invokedAt: number;
  /** Infinity if it is unknown whether the request has changed or will change anything. */
  respondedAt: number;
}

/** Sends a request and records the times. */
export async function timed(send: () => Promise<HttpResponse>): Promise<Exchange> {
  const invokedAt = Date.now();
  const unknown = { invokedAt, respondedAt: Number.POSITIVE_INFINITY };
  try {
    const response = await send();
    // A 5xx may come from the gateway while the service still handles the request.
    if (response.status >= 500) return { response, ...unknown };
    return { response, invokedAt, respondedAt: Date.now() + 1 }; // Date.now() truncates to milliseconds
  } catch (error) {
    return { error: error as Error, ...unknown };
  }
}

export const isKnown = ({ respondedAt }: Exchange) => respondedAt !== Number.POSITIVE_INFINITY;

/** An amount of money in cents; exact for the prices of the fault tests. */
export const cents = (amount: unknown): number => Math.round(Number(amount) * 100);

/** Items as a string that does not depend on their order. */
export const itemsText = (items: { productId: string; quantity: number }[]): string =>
  items
    .map(({ productId, quantity }) => `${quantity} of ${productId}`)
    .sort()
    .join(', ');
