import type { Handler, Request, Response } from 'express';
import { problemType } from '../values/problem-types.ts';
import { type Problem, sendProblem } from './problem.ts';

/** contract 2.5: as many as one client may send in a second, each holding its body of at most 64 KiB and what is made of it. */
const most = 500;

/** The requests of a process that are in flight: each until its answer is sent and its handler has ended. */
export interface InFlight {
  /** The middleware that admits requests, before their bodies are read, and answers 503 at once beyond the bound. */
  admit: Handler;
  /**
   * Counts a request to its account, which may have at most twice as many in flight as there are places left: two thirds
   * of all alone, less the more accounts are busy, and one that has none gets in as long as there is a place.
   * @returns false if it has been answered with 429
   */
  admitAccount(req: Request, res: Response, accountId: string): boolean;
  /**
   * Marks a handler as running: it may outlive its connection, and holds its memory for as long.
   * @returns to be called when it has ended
   */
  working(res: Response): () => void;
  /** Gives up the place of a request before its answer has ended. */
  leave(res: Response): void;
}

/** A request that was admitted. */
interface Place {
  hasLeft?: boolean;
  isWorking?: boolean;
  countedTo?: string;
}

export function createInFlight(): InFlight {
  let count = 0;
  const places = new WeakMap<Response, Place>();
  const countOf = new Map<string, number>();

  function addTo(account: string, change: 1 | -1): void {
    const now = (countOf.get(account) ?? 0) + change;
    if (now === 0) countOf.delete(account);
    else countOf.set(account, now);
  }

  const leave = (res: Response) => {
    const place = places.get(res);
    if (place === undefined || place.hasLeft) return;
    place.hasLeft = true;
    count -= 1;
    if (place.countedTo !== undefined) addTo(place.countedTo, -1);
  };
  return {
    admit(req: Request, res: Response, next) {
      if (count >= most) {
        refuse(req, res, 503, {
          type: problemType('overloaded'),
          detail: 'Too many requests are in flight. Try again shortly.',
        });
        return;
      }
      count += 1;
      const place: Place = {};
      places.set(res, place);
      res.on('close', () => {
        if (place.isWorking !== true) leave(res);
      });
      next();
    },
    admitAccount(req, res, accountId) {
      if ((countOf.get(accountId) ?? 0) > 2 * (most - count)) {
        res.set('RateLimit', '"too-many-requests";r=0;t=1');
        refuse(req, res, 429, {
          type: problemType('too-many-requests'),
          detail: 'Too many requests of this account are in flight. Wait for their answers, then try again.',
        });
        return false;
      }
      const place = places.get(res);
      if (place === undefined || place.hasLeft) return true;
      addTo(accountId, 1);
      place.countedTo = accountId;
      return true;
    },
    working(res) {
      const place = places.get(res);
      if (place !== undefined) place.isWorking = true;
      return () => {
        if (place !== undefined) place.isWorking = false;
        if (res.closed) leave(res);
      };
    },
    leave,
  };
}

function refuse(req: Request, res: Response, status: number, problem: Partial<Problem>): void {
  res.set('Retry-After', '1');
  sendProblem(req, res, status, problem);
}
