import { setTimeout as wait } from 'node:timers/promises';
import type { Fault } from './faults/fault.ts';
import type { Stage } from './stage.ts';

/** The course of an alert; a time that is undefined did not come. */
export interface Outcome {
  /** With its severity. */
  alert: string;
  fault: string;
  firedAfter?: number;
  clearedAfter?: number;
}

const patience = {
  quietSeconds: 180,
  fireSeconds: 180,
  clearSeconds: 180,
  /** Six hours of a budget, shortened, after the last of the other faults. */
  clearLateSeconds: 1_200,
};

/**
 * Injects a fault, waits until each of its alerts fires, mends it, and waits until each clears.
 * @param alerts those with a severity that are expected
 * @returns one promise for each alert; those of a fault that clears late are still pending
 */
export async function drill(stage: Stage, fault: Fault, alerts: string[], say: (line: string) => void) {
  if (!(await until(stage, patience.quietSeconds, (firing) => !alerts.some((alert) => firing.has(alert))))) {
    say(`${fault.name}: not broken, since one of its alerts fires already`);
    return alerts.map(async (alert): Promise<Outcome> => ({ alert, fault: fault.name }));
  }
  say(`${fault.name}: expected are ${alerts.join(', ')}`);
  const injectedAt = Date.now();
  const secondsSince = (at: number) => Math.round((Date.now() - at) / 1_000);
  const mend = await fault.inject(stage);
  const fired = await Promise.all(
    alerts.map(async (alert) => {
      const hasFired = await until(stage, patience.fireSeconds, (firing) => firing.has(alert));
      const firedAfter = secondsSince(injectedAt);
      say(hasFired ? `  ${alert} fires after ${firedAfter} s` : `  ${alert} does not fire within ${firedAfter} s`);
      return { alert, fault: fault.name, ...(hasFired && { firedAfter }) };
    }),
  );
  await mend();
  const mendedAt = Date.now();
  say('  mended');
  const seconds = fault.clearsLate ? patience.clearLateSeconds : patience.clearSeconds;
  const outcomes = fired.map(async (outcome): Promise<Outcome> => {
    if (outcome.firedAfter === undefined) return outcome;
    const hasCleared = await until(stage, seconds, (firing) => !firing.has(outcome.alert));
    const clearedAfter = secondsSince(mendedAt);
    say(`  ${outcome.alert} ${hasCleared ? 'clears' : 'has not cleared'} after ${clearedAfter} s`);
    return { ...outcome, ...(hasCleared && { clearedAfter }) };
  });
  if (!fault.clearsLate) await Promise.all(outcomes);
  return outcomes;
}

const pollsPerSecond = 2;

/** Tells if the condition held in time, which is counted in polls: a machine may be suspended, and Prometheus with it. */
async function until(stage: Stage, seconds: number, condition: (firing: Set<string>) => boolean): Promise<boolean> {
  for (let polls = pollsPerSecond * seconds; polls > 0; polls -= 1) {
    const firing = await stage.prometheus.firing().catch(() => undefined); // busy: asked again
    if (firing && condition(firing)) return true;
    await wait(1_000 / pollsPerSecond);
  }
  return false;
}
