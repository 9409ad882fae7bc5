import { LRUCache } from 'lru-cache';

/** Tolerated difference between clocks, in seconds: a token is valid this much earlier and this much longer (contract 3.2). */
export const clockSkewSeconds = 30;

/** Remembers valid tokens until they expire, because a verification costs as much as the rest of a request. */
export function createVerifiedTokens<Meaning extends object>(clock: () => number = Date.now) {
  const verified = new LRUCache<string, { meaning: Meaning; validUntil: number }>({ max: 10_000 });

  return {
    /** @returns undefined if the token was not verified before or has expired */
    get(token: string): Meaning | undefined {
      const known = verified.get(token);
      return known !== undefined && clock() < known.validUntil ? known.meaning : undefined;
    },
    /** @param exp the claim `exp`, in seconds since 1970 */
    set(token: string, exp: number, meaning: Meaning): void {
      verified.set(copy(token), { meaning, validUntil: (exp + clockSkewSeconds) * 1000 });
    },
  };
}

/** A slice of a header would keep the whole header in memory. */
const copy = (token: string) => Buffer.from(token, 'latin1').toString('latin1');
