import { setTimeout as wait } from 'node:timers/promises';
import type { ComponentName } from '../../../tools/local/store.ts';
import type { Random } from '../../kit/random.ts';
import type { Fixture } from '../_fixture.ts';
import type { Fault } from './_faults.ts';

/** Packets are dropped; connections are refused; connections end in the middle of a response. */
const modes = ['silent', 'refuse', 'cut'] as const;

/** Separates a component from one of those that it is connected to, or from all of them. */
export const partitionOf = (
  { network, report }: Fixture,
  random: Random,
  component: ComponentName,
  seconds: () => number,
): Fault => ({
  components: [component],
  async inject() {
    const all = network.linksOf(component);
    const links = random(2) === 0 ? all : all.slice(random(all.length)).slice(0, 1);
    const mode = modes[random(modes.length)] ?? 'silent';
    const lastsSeconds = seconds();
    const others = links.length === 1 ? links.map(({ from, to }) => `${from} -> ${to}`) : 'all others';
    report(`${component}: partitioned from ${others} for ${lastsSeconds} s (${mode})`);
    try {
      await Promise.all(links.map(({ proxy }) => proxy.set(mode)));
      await wait(lastsSeconds * 1_000);
    } finally {
      // Half of the time both ends learn at once that their connections are gone, else only when they use them.
      if (mode === 'silent' && random(2) === 0) await Promise.all(links.map(({ proxy }) => proxy.set('refuse')));
      await Promise.all(links.map(({ proxy }) => proxy.set('pass')));
    }
  },
});
