import { readFile } from 'node:fs/promises';
import { execa } from 'execa';
import type { SupervisedProcess } from '../../../local/components/supervised-process.ts';

/** Returns the bytes that each component has sent by its open TCP connections so far. */
export async function sentBytes(processes: Map<string, SupervisedProcess>): Promise<Map<string, number>> {
  const { stdout } = await execa('ss', ['-tinpHO', 'state', 'established'], { lines: true, maxBuffer: 2 ** 26 });
  const byPid = new Map<number, number>();
  for (const line of stdout) {
    const sent = Number(/ bytes_sent:(\d+)/.exec(line)?.[1] ?? 0);
    const pid = Number(/,pid=(\d+),/.exec(line)?.[1]);
    byPid.set(pid, (byPid.get(pid) ?? 0) + sent);
  }
  const sums = [...processes].map(async ([name, process]) => {
    const pids = await familyOf(process);
    return [name, pids.reduce((sum, pid) => sum + (byPid.get(pid) ?? 0), 0)] as const;
  });
  return new Map(await Promise.all(sums));
}

async function familyOf(process: SupervisedProcess): Promise<number[]> {
  const pid = process.pid();
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return [pid ?? NaN, ...children.split(' ').filter(Boolean).map(Number)];
}
