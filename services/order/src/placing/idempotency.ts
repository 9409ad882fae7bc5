import { DomainError } from '@store/shared/values/errors';
import { asPlaced, type Order } from '../order.ts';
import type { IdempotencyRepository, KeyedRequest } from './idempotency-repository.ts';

export interface Reply {
  order: Order;
  /** True for the stored reply to an earlier request. */
  replayed: boolean;
}

/**
 * Creates the function that places one order for all requests with the same Idempotency-Key (contract 4.7). The database decides
 * which request places it: `claimKey` stores the key in the statement that stores the order, or makes the whole statement store
 * nothing. Most keys are new, so there is no separate look-up before the statement.
 */
export function createOnlyOnce({ find }: Pick<IdempotencyRepository, 'find'>, clock: () => Date) {
  /** Keys whose request is in flight in this process. The database need not decide for them. */
  const inFlight = new Set<string>();

  /**
   * Places an order, or returns the order of the first request with the key as it was placed. A repeated request gets it for
   * any reason that the order cannot be placed again: the key itself, changed prices, or deleted products.
   * @param place stores the request with the order, or throws
   * @throws DomainError conflict while the first request is in flight, ruleBroken if the first request was a different one
   */
  return async (accountId: string, request: KeyedRequest | undefined, place: () => Promise<Order>): Promise<Reply> => {
    if (request === undefined) return { order: await place(), replayed: false };
    const id = accountId + request.key;
    if (inFlight.has(id)) throw stillRunning();
    inFlight.add(id);
    try {
      return { order: await place(), replayed: false };
    } catch (error) {
      // Any other error is a failure of the database, which is not queried again.
      if (!(error instanceof DomainError)) throw error;
      const first = await find(accountId, request.key, clock());
      if (first === undefined) throw error;
      if (first.requestHash !== request.hash) throw keyReused();
      return { order: asPlaced(first), replayed: true };
    } finally {
      inFlight.delete(id);
    }
  };
}

export const stillRunning = () =>
  new DomainError('conflict', 'The first request with this Idempotency-Key is still running.', {
    code: 'idempotency-key-in-use',
    retryAfterSeconds: 1,
  });

export const keyReused = () =>
  new DomainError('ruleBroken', 'This Idempotency-Key was used for another request.', {
    code: 'idempotency-key-reused',
  });
