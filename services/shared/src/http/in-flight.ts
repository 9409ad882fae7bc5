import type { Handler, Request, Response } from 'express';
import { sendProblem } from './problem.ts';

/** contract 2.5: as many as one client may send in a second, each holding its body of at most 64 KiB and what is made of it. */
const most = 500;

/** The requests of a process that are in flight: each until its answer is sent and its handler has ended. */
export interface InFlight {
  /** The middleware that admits requests, before their bodies are read, and answers 503 at once beyond the bound. */
  admit: Handler;
  /**
   * Marks a handler as running: it may outlive its connection, and holds its memory for as long.
   * @returns to be called when it has ended
   */
  working(res: Response): () => void;
  /** Gives up the place of a request before its answer has ended. */
  leave(res: Response): void;
}

export function createInFlight(limit = most): InFlight {
  let count = 0;
  const leave = (res: Response) => {
    if (res.locals.hasLeft) return;
    res.locals.hasLeft = true;
    count -= 1;
  };
  return {
    admit(req: Request, res: Response, next) {
      if (count >= limit) {
        res.set('Retry-After', '1');
        sendProblem(req, res, 503, {
          type: 'urn:problem:store:overloaded',
          detail: 'Too many requests are in flight. Try again shortly.',
        });
        return;
      }
      count += 1;
      res.on('close', () => {
        if (res.locals.working !== true) leave(res);
      });
      next();
    },
    working(res) {
      res.locals.working = true;
      return () => {
        res.locals.working = false;
        if (res.closed) leave(res);
      };
    },
    leave,
  };
}
