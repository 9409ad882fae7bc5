import { readFile } from 'node:fs/promises';

/** CPU time of a process and its threads so far, user and system, in ms. */
export async function cpuMs(pid: number | undefined): Promise<number> {
  return (await readCpu(pid)).own;
}

/** CPU time of a process and its children, those included that have ended, in ms. */
export async function familyCpuMs(pid: number | undefined): Promise<number> {
  const { own, ended } = await readCpu(pid);
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ').filter(Boolean);
  // One that ends just now is missed; its next reading is among those that have ended.
  const living = await Promise.all(children.map((child) => cpuMs(Number(child)).catch(() => 0)));
  return living.reduce((sum, ms) => sum + ms, own + ended);
}

async function readCpu(pid: number | undefined): Promise<{ own: number; ended: number }> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' '); // the name before it may hold blanks
  const ms = (index: number) => Number(fields[index]) * 10; // Linux reports 100 ticks per second
  return { own: ms(11) + ms(12), ended: ms(13) + ms(14) };
}

/** Resident memory of a process, now and at its peak, and what of it is its own (not its program, which others share), in MiB. */
export async function residentMib(pid: number | undefined): Promise<{ now: number; peak: number; own: number }> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8');
  const mib = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1]) / 1024;
  return { now: mib('VmRSS'), peak: mib('VmHWM'), own: mib('RssAnon') };
}
