/** Labels for times on an axis, in UTC; with seconds if minutes would repeat. @param ticks seconds since 1970 */
export function timesOf(ticks: number[]): string[] {
  const texts = (length: number) => ticks.map((at) => new Date(at * 1_000).toISOString().slice(11, length));
  const minutes = texts(16);
  return new Set(minutes).size === minutes.length ? minutes : texts(19);
}

/** Labels of an axis. If rounding makes neighbours equal, only the first is kept. */
export const onceEach = (labels: string[]) => labels.map((label, index) => (label === labels[index - 1] ? '' : label));
