const keptMs = 24 * 3_600_000;

export interface Answer {
  status: number;
  body: unknown;
}

interface Kept {
  /** The method, path and body of the first request. */
  request: string;
  since: number;
  /** Undefined while the first request is in progress. */
  answer: Answer | undefined;
}

/** What a request with a key is told instead of being carried out. */
export type Told = { replay: Answer } | { refuse: 'in progress' | 'other request' };

/**
 * Keys as https://docs.stripe.com/api/idempotent_requests describes them: the first answer is kept for 24 hours, whether it is a success
 * or a failure, unless the request failed validation or met one in progress.
 * @param now in milliseconds
 */
export function createIdempotencyKeys(now: () => number) {
  const keys = new Map<string, Kept>();
  return {
    /** @returns undefined if the request is the first one with its key, which then waits for `keep` or `forget` */
    begin(key: string, request: string): Told | undefined {
      const kept = keys.get(key);
      if (kept === undefined || now() - kept.since >= keptMs) {
        keys.set(key, { request, since: now(), answer: undefined });
        return undefined;
      }
      if (kept.request !== request) return { refuse: 'other request' };
      return kept.answer === undefined ? { refuse: 'in progress' } : { replay: kept.answer };
    },
    keep(key: string, answer: Answer): void {
      const kept = keys.get(key);
      if (kept !== undefined) kept.answer = answer;
    },
    forget: (key: string) => keys.delete(key),
  };
}
