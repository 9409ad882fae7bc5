import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import type { ComponentName } from '../../../tools/local/store.ts';
import type { Random } from '../../kit/random.ts';
import type { Fixture } from '../_fixture.ts';
import type { Fault } from './_faults.ts';

/** Faults of a process: it is killed, stopped as by an operator, or does not run for a while. */
export function createProcessFaults({ store, report, signal }: Fixture, random: Random) {
  /** Restarts a component as a cluster would: gives up only when it repeatedly fails to become ready. */
  async function restart(name: ComponentName): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await store.component(name).restart();
      } catch (error) {
        report(`${name} failed to restart (attempt ${attempt}): ${error}`);
        if (attempt === 3 || signal.aborted) throw error;
      }
    }
  }

  /** PostgreSQL gets SIGQUIT, its immediate shutdown: it recovers at the next start as after SIGKILL. */
  async function kill(name: ComponentName, outageSeconds: number): Promise<void> {
    store.component(name).kill(name === 'postgres' ? 'SIGQUIT' : 'SIGKILL');
    await store.component(name).stop(); // waits for its end and prevents the automatic restart
    await wait(outageSeconds * 1_000);
    await restart(name);
  }

  return {
    killOf: (name: ComponentName): Fault => ({
      components: [name],
      async inject() {
        const seconds = random(3);
        report(`${name}: killed, restart in ${seconds} s`);
        await kill(name, seconds);
      },
    }),

    outageOf: (name: 'kafka' | 'postgres', isKilled: () => boolean): Fault => ({
      components: [name],
      async inject() {
        const seconds = 1 + random(6);
        const isHard = isKilled();
        report(`${name}: ${isHard ? 'killed' : 'stopped'}, restart in ${seconds} s`);
        if (isHard) await kill(name, seconds);
        else {
          await store.component(name).stop();
          await wait(seconds * 1_000);
          await restart(name);
        }
        report(`${name}: running again`);
      },
    }),

    /** SIGSTOP: its connections stay open, and when it continues it does not know that time has passed. */
    pauseOf: (name: ComponentName, seconds: () => number): Fault => ({
      components: [name],
      async inject() {
        const pid = store.component(name).pid();
        if (pid === undefined) return;
        const paused: number[] = [];
        const pause = (pids: number[]) => {
          for (const one of pids) if (send(one, 'SIGSTOP')) paused.push(one);
        };
        const pauseSeconds = seconds();
        report(`${name}: paused for ${pauseSeconds} s`);
        try {
          pause([pid]);
          pause(await childrenOf(pid)); // those of PostgreSQL serve the connections
          await wait(pauseSeconds * 1_000);
        } finally {
          for (const one of paused.reverse()) send(one, 'SIGCONT');
        }
      },
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
