import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import type { Random } from '../../kit/random.ts';
import type { Fixture } from '../_fixture.ts';
import { restartAfter } from '../_restart.ts';

export interface Fault {
  /** The affected components; faults in flight never share a component. */
  components: string[];
  /** Resolves when the components run again. */
  inject(): Promise<void>;
}

/** Packets are dropped; connections are refused; connections end in the middle of a response. */
const modes = ['silent', 'refuse', 'cut'] as const;

/** Faults of one component: it is killed, stopped as by an operator, paused, or cut off. */
export function createProcessFaults({ store, report, signal, linksOf }: Fixture, random: Random) {
  const faultOf = (name: string, inject: () => Promise<void>): Fault => ({ components: [name], inject });

  const stopFor = (seconds: number, name: string, isKilled: boolean) =>
    restartAfter(store, name, { awayMs: seconds * 1_000, isKilled, report, signal });

  return {
    killOf: (name: string) => faultOf(name, () => stopFor(random(3), name, true)),

    outageOf: (name: 'kafka' | 'postgres', isKilled: () => boolean) =>
      faultOf(name, () => stopFor(1 + random(6), name, isKilled())),

    /** SIGSTOP: the connections stay open, and on resuming the component does not know that time has passed. */
    pauseOf: (name: string, seconds: () => number) =>
      faultOf(name, async () => {
        const pid = store.component(name).pid();
        if (pid === undefined) return;
        const paused: number[] = [];
        const pause = (one: number) => {
          if (send(one, 'SIGSTOP')) paused.unshift(one);
        };
        const pauseSeconds = seconds();
        report(`${name}: paused for ${pauseSeconds} s`);
        try {
          pause(pid);
          for (const child of await childrenOf(pid)) pause(child); // PostgreSQL's child processes serve its connections
          await wait(pauseSeconds * 1_000);
        } finally {
          for (const one of paused) send(one, 'SIGCONT');
        }
      }),

    /** Separates a component from one or all of the components that it is connected to. */
    partitionOf: (name: string, seconds: () => number) =>
      faultOf(name, async () => {
        const all = linksOf(name);
        if (all.length === 0) throw new Error(`${name} is not connected to anything.`);
        const links = random(2) === 0 ? all : all.slice(random(all.length)).slice(0, 1);
        const set = (next: 'pass' | (typeof modes)[number]) => Promise.all(links.map(({ proxy }) => proxy.set(next)));
        const mode = modes[random(modes.length)] ?? 'silent';
        const lastsSeconds = seconds();
        const others = links.length === 1 ? links.map(({ from, to }) => `${from} -> ${to}`) : 'all others';
        report(`${name}: partitioned from ${others} for ${lastsSeconds} s (${mode})`);
        try {
          await set(mode);
          await wait(lastsSeconds * 1_000);
        } finally {
          // Half of the time both ends learn at once that their connections are gone; otherwise only when they use them.
          if (mode === 'silent' && random(2) === 0) await set('refuse');
          await set('pass');
        }
      }),
  };
}

async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return text.split(' ').filter(Boolean).map(Number);
}

/** @returns false if the process has ended */
function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
