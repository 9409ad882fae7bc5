import type { NextFunction, Request, Response } from 'express';
import { contextOf } from '../observability/request-context.ts';
import { DomainError } from '../values/errors.ts';
import { problemType } from '../values/problem-types.ts';
import { sendProblem } from './problem.ts';

/** contract 2.5: as many as one client may send in a second. Each holds its body of at most 64 KiB and the objects made from it. */
const most = 500;

export type InFlight = ReturnType<typeof createInFlight>;

/** Counts the requests in flight in a process: each until its answer has been sent and its handler has ended. */
export function createInFlight() {
  let count = 0;
  const countOf = new Map<string, number>();

  function addTo(account: string, change: 1 | -1): void {
    const now = (countOf.get(account) ?? 0) + change;
    if (now === 0) countOf.delete(account);
    else countOf.set(account, now);
  }

  const leave = (res: Response) => {
    const { place } = contextOf(res);
    if (place === undefined) return;
    delete contextOf(res).place;
    count -= 1;
    if (place.account !== undefined) addTo(place.account, -1);
  };
  return {
    /** The middleware that admits requests before their bodies are read, and answers 503 at once beyond the limit. */
    admit(req: Request, res: Response, next: NextFunction): void {
      if (count >= most) {
        res.set('Retry-After', '1');
        const detail = 'Too many requests are in flight. Try again shortly.';
        sendProblem(req, res, 503, { type: problemType('overloaded'), detail });
        return;
      }
      count += 1;
      contextOf(res).place = {};
      res.on('close', () => {
        if (!contextOf(res).place?.isWorking) leave(res);
      });
      next();
    },
    /**
     * Counts a request for its account, which may have at most twice as many in flight as there are places left: two thirds
     * of all places if no other account is busy, and less the more are. An account with none in flight is admitted while a place is left.
     * @throws DomainError rateLimited (429)
     */
    countTo(accountId: string, res: Response): void {
      if ((countOf.get(accountId) ?? 0) > 2 * (most - count)) {
        const detail = 'Too many requests of this account are in flight. Wait for their answers, then try again.';
        throw new DomainError('rateLimited', detail, { code: 'too-many-requests', retryAfterSeconds: 1 });
      }
      const { place } = contextOf(res);
      if (place === undefined) return;
      addTo(accountId, 1);
      place.account = accountId;
    },
    /** Marks a handler as running until the returned function is called: it may outlive its connection, and still holds memory. */
    working(res: Response): () => void {
      const { place } = contextOf(res);
      if (place !== undefined) place.isWorking = true;
      return () => {
        if (place !== undefined) place.isWorking = false;
        if (res.closed) leave(res);
      };
    },
    /** Frees the place of a request before its answer has ended. */
    leave,
  };
}
