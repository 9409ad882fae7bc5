import { setTimeout as wait } from 'node:timers/promises';

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/** Waits `ms`, or until the signal is aborted. Never rejects. */
export const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
  wait(ms, undefined, { signal }).catch(() => undefined);

/**
 * Returns the pause after consecutive failures, in ms: twice as long after each, up to a maximum. Up to half of it is
 * random, so that replicas do not retry together.
 */
export function backoff(failures: number, { firstMs, maxMs }: { firstMs: number; maxMs: number }): number {
  return Math.min(firstMs * 2 ** (failures - 1), maxMs) * (1 - Math.random() / 2);
}

/** Repeats work until it succeeds or `failed` throws. `failed` gets each error and the number of failures. */
export async function retry<T>(
  work: () => Promise<T>,
  pauses: Parameters<typeof backoff>[1],
  failed: (error: unknown, failures: number) => unknown,
): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await work();
    } catch (error) {
      await failed(error, failures);
      await sleep(backoff(failures, pauses));
    }
  }
}

/**
 * Waits at most `ms` for a promise. A result or failure that arrives later is ignored.
 * @param late called after `ms`: its result or error is the outcome; default undefined
 */
export async function within<T, L = undefined>(
  ms: number,
  promise: Promise<T>,
  late: () => L = () => undefined as L,
): Promise<T | L> {
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  try {
    return await Promise.race([promise, end.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Runs work with a signal that is aborted after `ms`. AbortSignal.timeout costs several times as much for work that ends earlier, as
 * most does: its timer runs on.
 * @param late makes the reason of the signal, which is also thrown
 */
export function inTime<T>(ms: number, work: (signal: AbortSignal) => Promise<T>, late: () => Error): Promise<T> {
  const ending = new AbortController();
  return within(ms, work(ending.signal), () => {
    const error = late();
    ending.abort(error);
    throw error;
  });
}
