import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { ComponentName } from '../../../tools/local/store.ts';
import { topology } from '../../../tools/topology/topology.ts';
import { type Random, seededRandom } from '../../kit/random.ts';
import type { Fixture } from '../_fixture.ts';
import type { PlacedOrder } from '../load/_orders.ts';
import { componentOf, resetOffsets } from './_consumer-groups.ts';
import { groupNames, poisons, sendPoison } from './_poison.ts';

export interface Fault {
  /** The components that it affects; faults in flight never share one. */
  components: ComponentName[];
  /** Resolves when the components are running again. */
  inject(): Promise<void>;
}

/** All that an order passes through, but what only answers requests. */
const orderComponents = ['order', ...Object.values(topology.groups).map(({ name }) => name)];

/**
 * How long a restarted component is spared further faults: a group waits some ten seconds for a killed member, and must
 * then have time to make progress.
 */
const recoveryMs = 15_000;

export function createFaults(fixture: Fixture, random: Random, placed: PlacedOrder[]) {
  const { store, report, signal, fail } = fixture;

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

  const killOf = (name: ComponentName): Fault => ({
    components: [name],
    async inject() {
      const seconds = random(3);
      report(`${name}: killed, restart in ${seconds} s`);
      await kill(name, seconds);
    },
  });

  const outageOf = (name: 'kafka' | 'postgres', isKilled: () => boolean): Fault => ({
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
  });

  const offsetResetOf = (group: string): Fault => ({
    components: [componentOf(group), 'kafka'],
    inject: () => resetOffsets(fixture, group, seededRandom(random(2 ** 31))),
  });

  const poisonOf = (name: string): Fault => ({
    components: [],
    inject: () => sendPoison(fixture, name, placed.at(-1)?.id ?? randomUUID()),
  });

  const kills = orderComponents.map(killOf);
  const otherKills = (['product', 'gateway'] as const).map(killOf); // orders need these too
  const outages = [outageOf('postgres', () => random(2) === 0), outageOf('kafka', () => random(3) === 0)];
  const poisonMessages = Object.keys(poisons).map(poisonOf);
  const offsetResets = groupNames.map(offsetResetOf);

  /**
   * Injects faults in the given order, concurrently where they affect different components.
   * @param isBusySkipped whether a fault is skipped, instead of delayed, while one of its components is affected
   * @returns the number of injected faults, once all components are running again
   */
  async function injectAll(faults: Iterable<Fault>, pauseMs: () => number, isBusySkipped: boolean): Promise<number> {
    const busy = new Map<ComponentName, Promise<void>>();
    const all: Promise<void>[] = [];
    try {
      for (const { components, inject } of faults) {
        signal.throwIfAborted();
        const inFlight = components.flatMap((component) => busy.get(component) ?? []);
        if (isBusySkipped && inFlight.length > 0) {
          await wait(100);
          continue;
        }
        await Promise.all(inFlight);
        const injection = inject();
        injection.catch(fail);
        all.push(injection);
        const recovery = injection.then(() => wait(recoveryMs, undefined, { ref: false }));
        recovery.then(
          () => {
            for (const component of components) busy.delete(component);
          },
          () => undefined,
        );
        for (const component of components) busy.set(component, isBusySkipped ? recovery : injection);
        await wait(pauseMs());
      }
    } finally {
      await Promise.allSettled(all);
    }
    signal.throwIfAborted();
    return all.length;
  }

  return {
    /** Injects every fault except offset resets once, in a fixed order. */
    injectOnce: () => injectAll([...kills, ...otherKills, ...poisonMessages, ...outages], () => 250, false),

    /** Injects faults in random order until `isOver`. */
    injectUntil(isOver: () => boolean, withOffsetResets: boolean): Promise<number> {
      const usual = [...kills, ...kills, ...otherKills, ...outages, ...poisonMessages];
      function* endless() {
        for (;;) {
          for (const fault of shuffled(withOffsetResets ? [...usual, ...offsetResets] : usual, random)) {
            if (isOver()) return;
            yield fault;
          }
        }
      }
      return injectAll(endless(), () => 300 + random(2_000), true);
    },
  };
}

function shuffled<T>(items: T[], random: Random): T[] {
  const rest = [...items];
  return items.flatMap(() => rest.splice(random(rest.length), 1));
}
