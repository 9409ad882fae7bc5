import { setTimeout as wait } from 'node:timers/promises';
import type { Random } from '../../kit/random.ts';
import type { PaymentProcesses } from './_processes.ts';

/** Kills payment, its database, Kafka or the provider, one after the other, until `isOver`, and has them run again. */
export async function killInTurn(
  { store, provider, endLeases }: PaymentProcesses,
  random: Random,
  report: (line: string) => void,
  { pauseMs, most, isOver }: { pauseMs: number; most: number; isOver(): boolean },
): Promise<void> {
  async function kill(name: 'payment' | 'postgres' | 'kafka'): Promise<void> {
    // PostgreSQL gets its immediate shutdown: it recovers at the next start as after SIGKILL.
    store.component(name).kill(name === 'postgres' ? 'SIGQUIT' : 'SIGKILL');
    await store.component(name).stop();
    await wait(random(2_000));
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await store.component(name).restart();
      } catch (error) {
        if (attempt === 3) throw error;
      }
    }
  }

  const kills = {
    payment: () => kill('payment'),
    postgres: () => kill('postgres'),
    kafka: () => kill('kafka'),
    async provider() {
      await provider.down();
      await wait(500 + random(2_000));
      await provider.up();
    },
    // Whoever makes a call goes on with it, and another worker claims it meanwhile.
    'every lease': () => endLeases().catch(() => undefined),
  };
  const names = Object.keys(kills) as (keyof typeof kills)[];
  // Payment is the one that this is about.
  const weighted = [...names, 'payment', 'payment'] as const;
  for (let count = 0; count < most && !isOver(); count += 1) {
    await wait(pauseMs / 2 + random(pauseMs));
    if (isOver()) return;
    const name = (count < names.length ? names[count] : weighted[random(weighted.length)]) ?? 'payment';
    report(`${name}: ended`);
    await kills[name]();
    report(`${name}: runs again`);
  }
}
