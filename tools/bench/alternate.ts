import { median } from 'simple-statistics';

/**
 * Measures two sides alternately, so that whatever slows the machine down affects both.
 * @param rounds how many pairs count; `warmUp` pairs are measured before and dropped
 * @returns the median of each side, and of the ratios of the pairs
 */
export async function alternate(
  { rounds, warmUp = 0 }: { rounds: number; warmUp?: number },
  first: () => Promise<number>,
  second: () => Promise<number>,
) {
  const pairs: [number, number][] = [];
  for (let round = 0; round < warmUp + rounds; round += 1) pairs.push([await first(), await second()]);
  const counted = pairs.slice(warmUp);
  return {
    first: median(counted.map(([value]) => value)),
    second: median(counted.map(([, value]) => value)),
    ratio: median(counted.map(([one, other]) => one / other)),
  };
}
