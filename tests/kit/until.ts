import { setTimeout as wait } from 'node:timers/promises';

/** Waits for a condition, and says which one never came true. */
export async function until(what: string, isTrue: () => unknown, timeoutMs = 60_000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await isTrue())) {
    if (Date.now() > deadline) throw new Error(`Waited ${timeoutMs} ms in vain: ${what}`);
    await wait(20);
  }
}
