import { setTimeout as wait } from 'node:timers/promises';

/**
 * Polls until the condition holds. A condition that throws does not hold yet.
 * @param description the condition in words, for the error after the time-out; a function is called only then
 */
export async function until(
  description: string | (() => string),
  condition: () => boolean | Promise<boolean>,
  { timeoutMs = 60_000, intervalMs = 20 } = {},
): Promise<void> {
  let cause: unknown;
  for (const deadline = Date.now() + timeoutMs; ; await wait(intervalMs)) {
    try {
      if (await condition()) return;
      cause = undefined;
    } catch (error) {
      cause = error;
    }
    if (Date.now() > deadline) {
      const text = typeof description === 'string' ? description : description();
      const lastError = cause instanceof Error ? ` (${cause.message})` : '';
      throw new Error(`Timed out after ${timeoutMs / 1000} s: ${text}${lastError}`, { cause });
    }
  }
}
