import { readFile } from 'node:fs/promises';
import { sum } from 'simple-statistics';
import type { Store } from '../local/store.ts';

export type Pid = number | undefined;

export async function readComponents<T>(store: Store, read: (pid: Pid) => Promise<T>): Promise<Map<string, T>> {
  const running = store.components.filter((component) => component.running());
  const found = running.map(async ({ name, pid }) => [name, await read(pid())] as const);
  return new Map(await Promise.all(found));
}

/** CPU time of each component of a store while `work` runs, in ms, the longest first. */
export async function cpuDuring(store: Store, work: () => Promise<unknown>): Promise<[name: string, ms: number][]> {
  const before = await readComponents(store, cpuMsWithChildren);
  await work();
  const after = await readComponents(store, cpuMsWithChildren);
  return [...after]
    .map(([name, ms]): [string, number] => [name, ms - (before.get(name) ?? 0)])
    .sort(([, a], [, b]) => b - a);
}

/** CPU time of a process and its threads so far, user and system, in ms. */
export const cpuMs = async (pid: Pid): Promise<number> => (await readCpu(pid)).own;

/** CPU time of a process and its children, including those that have ended, in ms. */
export async function cpuMsWithChildren(pid: Pid): Promise<number> {
  const { own, ended } = await readCpu(pid);
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  const pids = children.split(' ').filter(Boolean).map(Number);
  // A child that ends right now is missed; the next reading counts it among those that have ended.
  const times = pids.map((child) => cpuMs(child).catch(() => 0));
  return own + ended + sum(await Promise.all(times));
}

async function readCpu(pid: Pid): Promise<{ own: number; ended: number }> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' '); // the name before it may hold blanks
  const ms = (index: number) => Number(fields[index]) * 10; // Linux reports 100 ticks per second
  return { own: ms(11) + ms(12), ended: ms(13) + ms(14) };
}

/** Resident memory of a process in MiB: now, at its peak, and its own part (without the program, which processes share). */
export async function residentMib(pid: Pid): Promise<{ now: number; peak: number; own: number }> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8');
  const mib = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1]) / 1024;
  return { now: mib('VmRSS'), peak: mib('VmHWM'), own: mib('RssAnon') };
}
