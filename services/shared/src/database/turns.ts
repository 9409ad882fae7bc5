import { DomainError } from '../values/errors.ts';

/** As long as a connection is waited for (contract 5.4). */
const maxWaitMs = 2_000;

/**
 * Does at most `atOnce` pieces of work at a time. While more wait, accounts take turns: nobody waits for all that another
 * account has asked for. A piece that has waited too long is given up when its turn comes.
 * @returns the work's result; throws DomainError unavailable for what was given up
 */
export function createTurns(atOnce: number, clock: () => number = Date.now) {
  /** Accounts in the order of their turns, each with what it waits for. */
  const waiting = new Map<string, (() => void)[]>();
  let running = 0;

  function startNext(): void {
    const [next] = waiting;
    if (next === undefined) {
      running -= 1;
      return;
    }
    const [account, starts] = next;
    waiting.delete(account);
    const start = starts.shift();
    if (starts.length > 0) waiting.set(account, starts);
    start?.();
  }

  async function turnOf(account: string): Promise<void> {
    if (running < atOnce) {
      running += 1;
      return;
    }
    const since = clock();
    await new Promise<void>((start) => {
      const starts = waiting.get(account);
      if (starts === undefined) waiting.set(account, [start]);
      else starts.push(start);
    });
    if (clock() - since <= maxWaitMs) return;
    startNext();
    throw new DomainError('unavailable', 'Too many lists are being read. Try again shortly.', { code: 'overloaded' });
  }

  return async <T>(account: string, work: () => Promise<T>): Promise<T> => {
    await turnOf(account);
    try {
      return await work();
    } finally {
      startNext();
    }
  };
}
