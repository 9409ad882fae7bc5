import { readFile } from 'node:fs/promises';
import type { SupervisedProcess } from '../local/components/supervised-process.ts';
import type { Store } from '../local/store.ts';
import { topology } from '../topology/topology.ts';

/** All processes of a store by component. */
export function processesOf(store: Store): Map<string, SupervisedProcess> {
  const names = ['gateway', 'postgres', 'kafka', ...topology.services.map(({ name }) => name)];
  return new Map(names.filter(store.has).map((name) => [name, store.component(name)]));
}

/** CPU time of each component of a store so far, in ms. */
export async function cpuOf(store: Store): Promise<Map<string, number>> {
  const times = [...processesOf(store)].map(
    async ([name, process]) => [name, await familyCpuMs(process.pid())] as const,
  );
  return new Map(await Promise.all(times));
}

/** CPU time of a process and its threads so far, user and system, in ms. */
export async function cpuMs(pid: number | undefined): Promise<number> {
  return (await readCpu(pid)).own;
}

/** CPU time of a process and its children, those included that have ended, in ms. */
export async function familyCpuMs(pid: number | undefined): Promise<number> {
  const { own, ended } = await readCpu(pid);
  // One that ends just now is missed; its next reading is among those that have ended.
  const living = await Promise.all((await childrenOf(pid)).map((child) => cpuMs(child).catch(() => 0)));
  return living.reduce((sum, ms) => sum + ms, own + ended);
}

export async function childrenOf(pid: number | undefined): Promise<number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return children.split(' ').filter(Boolean).map(Number);
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
