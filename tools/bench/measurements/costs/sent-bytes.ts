import { execa } from 'execa';
import type { Store } from '../../../local/store.ts';
import { childrenOf, processesOf } from '../../process-usage.ts';

/** Returns the bytes that each component has sent by its open TCP connections so far. */
export async function sentBytes(store: Store): Promise<Map<string, number>> {
  const { stdout } = await execa('ss', ['-tinpHO', 'state', 'established'], { lines: true, maxBuffer: 2 ** 26 });
  const byPid = new Map<number, number>();
  for (const line of stdout) {
    const sent = Number(/ bytes_sent:(\d+)/.exec(line)?.[1] ?? 0);
    const pid = Number(/,pid=(\d+),/.exec(line)?.[1]);
    byPid.set(pid, (byPid.get(pid) ?? 0) + sent);
  }
  const sums = [...processesOf(store)].map(async ([name, process]) => {
    const pid = process.pid() ?? NaN;
    const pids = [pid, ...(await childrenOf(pid))];
    return [name, pids.reduce((sum, one) => sum + (byPid.get(one) ?? 0), 0)] as const;
  });
  return new Map(await Promise.all(sums));
}
