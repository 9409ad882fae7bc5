import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { type Random, seededRandom } from '../../kit/random.ts';
import type { Fixture } from '../_fixture.ts';
import type { PlacedOrder } from '../load/_orders.ts';
import { componentOf, groupNames, resetOffsets } from './_consumer-groups.ts';
import { poisons, sendPoison } from './_poison.ts';
import { createProcessFaults, type Fault } from './_process-faults.ts';

/** All components that handle an order's events, and the order service. */
const orderComponents = ['order', ...groupNames.map(componentOf)];
const others = ['product', 'auth', 'gateway']; // orders need these too
const stateful = ['postgres', 'kafka'];

/**
 * How long a restarted component gets no further faults: a group waits some ten seconds for a killed member and then needs
 * time to make progress.
 */
const recoveryMs = 15_000;

/** @param isLong whether some faults may last longer than time-outs */
export function createFaults(fixture: Fixture, random: Random, placed: PlacedOrder[], isLong: boolean) {
  const { signal, fail } = fixture;
  const { killOf, outageOf, pauseOf, partitionOf } = createProcessFaults(fixture, random);
  /** In a long run, a quarter of the faults outlast the time-outs of connections, statements and sessions. */
  const seconds = () => (!isLong ? 1 : random(4) === 0 ? 12 + random(6) : 1 + random(4));

  const kills = [...orderComponents, ...others].map(killOf);
  const pauses = [...orderComponents, ...others, ...stateful].map((name) => pauseOf(name, seconds));
  const partitions = [...orderComponents, ...others, ...stateful].map((name) => partitionOf(name, seconds));
  const outages = [outageOf('postgres', () => random(2) === 0), outageOf('kafka', () => random(3) === 0)];
  const poisonMessages = Object.keys(poisons).map((name) => ({
    components: [],
    inject: () => sendPoison(fixture, name, placed.at(-1)?.id ?? randomUUID()),
  }));
  const offsetResets = groupNames.map((group) => ({
    components: [componentOf(group), 'kafka'],
    inject: () => resetOffsets(fixture, group, seededRandom(random(2 ** 31))),
  }));

  /**
   * Injects faults in the given order, concurrently if they affect different components.
   * @param isBusySkipped whether to skip a fault, instead of delaying it, while one of its components is affected
   * @returns the number of injected faults, once all components are running again
   */
  async function injectAll(faults: Iterable<Fault>, pauseMs: () => number, isBusySkipped: boolean): Promise<number> {
    const busy = new Map<string, Promise<void>>();
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
        const free = () => {
          for (const component of components) busy.delete(component);
        };
        recovery.then(free, () => undefined);
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
    injectOnce: () => injectAll([...kills, ...poisonMessages, ...pauses, ...partitions, ...outages], () => 150, false),

    /** Injects faults in random order until `isOver`. */
    injectUntil(isOver: () => boolean, withOffsetResets: boolean): Promise<number> {
      const usual = [...kills, ...outages, ...pauses, ...partitions, ...poisonMessages];
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
