/** CPU time of one call in microseconds. The minimum of several rounds, so that other processes do not distort it. */
export function cpuMicroseconds(work: () => unknown): number {
  let calls = 1;
  let least = Number.POSITIVE_INFINITY;
  const round = () => {
    const before = process.cpuUsage();
    for (let n = 0; n < calls; n += 1) work();
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  while (round() < 5_000) calls *= 2;
  for (let n = 0; n < 5; n += 1) least = Math.min(least, round() / calls);
  return least;
}

/** CPU time of reading each character once. Tests give their bounds as multiples of it. */
export const scanMicroseconds = (text: string): number =>
  cpuMicroseconds(() => {
    let count = 0;
    for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) === 0x3b) count += 1;
    return count;
  });

/** The most that Node.js reads of the headers of a request to a service. */
const longestHeader = 24 * 1024;
/** A header of that length that repeats the text. */
export const longHeader = (text: string): string => text.repeat(longestHeader / text.length);
