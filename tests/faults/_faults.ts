import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { ComponentName } from '../../tools/local/store.ts';
import { reread } from './_consumer-groups.ts';
import { createDice, type Dice, type Fixture, shuffled } from './_fixture.ts';
import type { Placed } from './_orders.ts';
import { type Group, groupNames, groups, poisons, sendPoison } from './_poison.ts';

export interface Fault {
  /** What it touches: two faults never have the same part. */
  components: ComponentName[];
  strike(): Promise<void>;
}

const orderComponents = [
  'order',
  'order-worker',
  'inventory',
  'payment',
  'notification',
  'analytics',
  'invoice',
] as const;

/**
 * A part that has come again is left alone for so long: a group waits some ten seconds for a member that was killed, and
 * is then to have some of its work done before it is struck again.
 */
const sparedMs = 15_000;

export function createFaults(fixture: Fixture, dice: Dice, placed: Placed[]) {
  const { store, say, signal, fail } = fixture;

  /** It comes again as it does in a cluster, and is given up only where it never gets ready. */
  async function comeAgain(name: ComponentName): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await store.component(name).restart();
      } catch (error) {
        say(`${name} did not come again (attempt ${attempt}): ${error}`);
        if (attempt === 3 || signal.aborted) throw error;
      }
    }
  }

  /** kill -9 for a service; a database that is ended at once has to recover when it starts, as after kill -9. */
  async function kill(name: ComponentName, outageSeconds: number): Promise<void> {
    store.component(name).kill(name === 'postgres' ? 'SIGQUIT' : 'SIGKILL');
    await store.component(name).stop(); // waits for its end, and keeps it ended
    await wait(outageSeconds * 1_000);
    await comeAgain(name);
  }

  const killOf = (name: ComponentName): Fault => ({
    components: [name],
    async strike() {
      const seconds = dice(3);
      say(`${name} killed, back in ${seconds} s`);
      await kill(name, seconds);
    },
  });

  const absenceOf = (name: 'kafka' | 'postgres', isKilled: () => boolean): Fault => ({
    components: [name],
    async strike() {
      const seconds = 1 + dice(6);
      const isHard = isKilled();
      say(`${name} ${isHard ? 'killed' : 'stopped'}, away for ${seconds} s`);
      if (isHard) await kill(name, seconds);
      else {
        await store.component(name).stop();
        await wait(seconds * 1_000);
        await comeAgain(name);
      }
      say(`${name} is back`);
    },
  });

  const rereadingOf = (group: Group): Fault => ({
    components: [groups[group], 'kafka'],
    strike: () => reread(fixture, group, createDice(dice(2 ** 31))),
  });

  const poisonOf = (name: string): Fault => ({
    components: [],
    strike: () => sendPoison(fixture, name, placed.at(-1)?.id ?? randomUUID()),
  });

  const kills = orderComponents.map(killOf);
  const otherKills = (['product', 'gateway'] as const).map(killOf); // what an order needs as well
  const absences = [absenceOf('postgres', () => dice(2) === 0), absenceOf('kafka', () => dice(3) === 0)];
  const poisonings = Object.keys(poisons).map(poisonOf);
  const rereadings = groupNames.map(rereadingOf);

  /**
   * Strikes in that order, several at a time where they do not touch the same parts; resolves when all is up again.
   * @returns how many they were
   */
  async function strikeAll(faults: Iterable<Fault>, pauseMs: () => number, isBusySkipped: boolean): Promise<number> {
    const busy = new Map<ComponentName, Promise<void>>();
    const all: Promise<void>[] = [];
    try {
      for (const { components, strike } of faults) {
        signal.throwIfAborted();
        const before = components.flatMap((component) => busy.get(component) ?? []);
        if (isBusySkipped && before.length > 0) {
          await wait(100);
          continue;
        }
        await Promise.all(before);
        const striking = strike();
        striking.catch(fail);
        all.push(striking);
        const spared = striking.then(() => wait(sparedMs, undefined, { ref: false }));
        spared.then(
          () => {
            for (const component of components) busy.delete(component);
          },
          () => undefined,
        );
        for (const component of components) busy.set(component, isBusySkipped ? spared : striking);
        await wait(pauseMs());
      }
    } finally {
      await Promise.allSettled(all);
    }
    signal.throwIfAborted();
    return all.length;
  }

  return {
    /** Each kind once, in a fixed order. */
    once: () => strikeAll([...kills, ...otherKills, ...poisonings, ...absences], () => 250, false),

    /** All kinds in an order of the dice, and again, until it is over. */
    until(isOver: () => boolean, isRereading: boolean): Promise<number> {
      const usual = [...kills, ...kills, ...otherKills, ...absences, ...poisonings];
      function* endless() {
        for (;;) {
          for (const fault of shuffled(isRereading ? [...usual, ...rereadings] : usual, dice)) {
            if (isOver()) return;
            yield fault;
          }
        }
      }
      return strikeAll(endless(), () => 300 + dice(2_000), true);
    },
  };
}
