import { setTimeout as wait } from 'node:timers/promises';
import type { Random } from '../../kit/random.ts';
import { restartAfter } from '../_restart.ts';
import type { PaymentProcesses } from './_processes.ts';

/** Kills payment, its database, Kafka or the provider, one after the other, until `isOver`, and has them run again. */
export async function killInTurn(
  { store, provider, endLeases }: PaymentProcesses,
  random: Random,
  report: (line: string) => void,
  { pauseMs, most, isOver }: { pauseMs: number; most: number; isOver(): boolean },
): Promise<void> {
  const kill = (name: string) => restartAfter(store, name, { awayMs: random(2_000), report });

  const kills = {
    payment: () => kill('payment'),
    postgres: () => kill('postgres'),
    kafka: () => kill('kafka'),
    async provider() {
      report('provider: down');
      await provider.down();
      await wait(500 + random(2_000));
      await provider.up();
      report('provider: up again');
    },
    // Whoever makes a call goes on with it, and another worker claims it meanwhile.
    async 'every lease'() {
      report('every lease: ended');
      await endLeases().catch(() => undefined);
    },
  };
  const names = Object.keys(kills) as (keyof typeof kills)[];
  // Payment is the one that this is about.
  const weighted = [...names, 'payment', 'payment'] as const;
  for (let count = 0; count < most && !isOver(); count += 1) {
    await wait(pauseMs / 2 + random(pauseMs));
    if (isOver()) return;
    const name = (count < names.length ? names[count] : weighted[random(weighted.length)]) ?? 'payment';
    await kills[name]();
  }
}
