import { DomainError } from '@store/shared/values/errors';
import { asPlaced, type Order } from '../order.ts';
import type { IdempotencyRepository } from './idempotency-repository.ts';

/** A request with an Idempotency-Key. */
export interface KeyedRequest {
  key: string;
  /** Tells whether another request is the same. */
  hash: string;
}

export interface Reply {
  order: Order;
  /** True for the stored reply to an earlier request. */
  replayed: boolean;
}

/**
 * Makes the function by which requests with an Idempotency-Key place one order (contract 4.7). The database decides which one does:
 * `claimKey` stores the key in the statement that stores the order, or has the whole statement store nothing. Most keys are new, so
 * that no look-up of their own comes before it.
 */
export function createOnlyOnce({ find }: Pick<IdempotencyRepository, 'find'>, clock: () => Date) {
  /** Keys whose request is in flight in this process: for them the database need not decide. */
  const inFlight = new Set<string>();

  /**
   * Places an order, or returns that of the first request with the key, as it was then. A repetition is answered so whatever keeps the
   * order from being placed again: the key itself, prices that have changed, or products that are gone.
   * @param place stores the request with the order, or throws
   * @throws DomainError conflict while the first request is in flight, ruleBroken if that was another one
   */
  return async (accountId: string, request: KeyedRequest | undefined, place: () => Promise<Order>): Promise<Reply> => {
    if (request === undefined) return { order: await place(), replayed: false };
    const id = accountId + request.key;
    if (inFlight.has(id)) throw stillRunning();
    inFlight.add(id);
    try {
      return { order: await place(), replayed: false };
    } catch (error) {
      // A database that has failed is not asked once more.
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

const keyReused = () =>
  new DomainError('ruleBroken', 'This Idempotency-Key was used for another request.', {
    code: 'idempotency-key-reused',
  });
