import { setTimeout as wait } from 'node:timers/promises';
import type { Fault } from './faults/processes.ts';
import type { Stage } from './stage.ts';

/** The course of an alert; a time that is undefined did not come. */
export interface Outcome {
  /** With its severity. */
  alert: string;
  fault: string;
  firedAfter?: number | undefined;
  clearedAfter?: number | undefined;
}

const patienceSeconds = 180;
/** Six hours of a budget, shortened, after the last of the other faults. */
const latePatienceSeconds = 1_200;

/**
 * Injects a fault, waits until each of its alerts fires, mends it, and waits until each clears.
 * @param alerts those with a severity that are expected
 * @returns one promise for each alert; those of a fault that clears late are still pending
 */
export async function drill(stage: Stage, fault: Fault, alerts: string[], say: (line: string) => void) {
  const quiet = (firing: Set<string>) => !alerts.some((alert) => firing.has(alert));
  if ((await secondsUntil(stage, patienceSeconds, quiet)) === undefined) {
    say(`${fault.name}: not broken, since one of its alerts fires already`);
    return alerts.map(async (alert): Promise<Outcome> => ({ alert, fault: fault.name }));
  }
  say(`${fault.name}: expected are ${alerts.join(', ')}`);
  const told = (alert: string, verb: 'fire' | 'clear', after?: number) =>
    say(after === undefined ? `  ${alert} does not ${verb} in time` : `  ${alert} ${verb}s after ${after} s`);
  const mend = await fault.inject(stage);
  const fired = await Promise.all(
    alerts.map(async (alert): Promise<Outcome> => {
      const firedAfter = await secondsUntil(stage, patienceSeconds, (firing) => firing.has(alert));
      told(alert, 'fire', firedAfter);
      return { alert, fault: fault.name, firedAfter };
    }),
  );
  await mend();
  say('  mended');
  const seconds = fault.clearsLate ? latePatienceSeconds : patienceSeconds;
  const outcomes = fired.map(async (outcome): Promise<Outcome> => {
    if (outcome.firedAfter === undefined) return outcome;
    const clearedAfter = await secondsUntil(stage, seconds, (firing) => !firing.has(outcome.alert));
    told(outcome.alert, 'clear', clearedAfter);
    return { ...outcome, clearedAfter };
  });
  if (!fault.clearsLate) await Promise.all(outcomes);
  return outcomes;
}

const pollsPerSecond = 2;

/**
 * Waits until the condition holds. Returns undefined where it did not in time, which is counted in polls: a machine may be
 * suspended, and Prometheus with it.
 */
async function secondsUntil(
  stage: Stage,
  seconds: number,
  condition: (firing: Set<string>) => boolean,
): Promise<number | undefined> {
  const since = Date.now();
  for (let polls = pollsPerSecond * seconds; polls > 0; polls -= 1) {
    const firing = await stage.prometheus.firing().catch(() => undefined); // busy: asked again
    if (firing && condition(firing)) return Math.round((Date.now() - since) / 1_000);
    await wait(1_000 / pollsPerSecond);
  }
  return undefined;
}
