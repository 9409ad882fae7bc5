import { readFile } from 'node:fs/promises';

/** CPU time of a process and its threads so far, user and system, in ms. */
export async function cpuMs(pid: number | undefined): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' '); // the name before it may hold blanks
  const ticks = Number(fields[11]) + Number(fields[12]);
  return ticks * 10; // Linux reports 100 ticks per second
}

/** Resident memory of a process, now and at its peak, in MiB. */
export async function residentMib(pid: number | undefined): Promise<{ now: number; peak: number }> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8');
  const mib = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1]) / 1024;
  return { now: mib('VmRSS'), peak: mib('VmHWM') };
}
