/** Returns an integer from 0 up to, but not including, `limit`. */
export type Random = (limit: number) => number;

/** Yields the same numbers in every run with the same seed (mulberry32). */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
}
