import { setTimeout as sleep } from 'node:timers/promises';
import pWaitFor from 'p-wait-for';

/** Date.now() with fractions of a millisecond, to compare with timestamps of other processes. */
export const nowMs = () => performance.timeOrigin + performance.now();

/** Starts `work` so many times per second, whether or not earlier calls have ended: slowness does not lower the load. */
export async function atRate<T>(perSecond: number, seconds: number, work: () => Promise<T>): Promise<T[]> {
  const start = performance.now();
  const calls: Promise<T>[] = [];
  for (let n = 0; n < perSecond * seconds; n += 1) {
    const due = start + (n * 1000) / perSecond;
    await sleep(Math.max(due - performance.now(), 0));
    const call = work();
    call.catch(() => undefined); // reported by Promise.all below
    calls.push(call);
  }
  return Promise.all(calls);
}

/** Waits up to two minutes for a condition. */
export function until(what: string, condition: () => boolean | Promise<boolean>, interval = 50): Promise<void> {
  return pWaitFor(condition, { interval, timeout: { milliseconds: 120_000, message: `Waited two minutes: ${what}.` } });
}
