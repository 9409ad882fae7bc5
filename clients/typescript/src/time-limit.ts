/** The longest wait of setTimeout; with a longer one it would fire at once. */
const longestMs = 2 ** 31 - 1;

export interface TimeLimit {
  signal: AbortSignal;
  /** Restarts the timer with this time. */
  renew(ms: number): void;
  /** Aborts work in progress and removes timer and listener. */
  end(): void;
}

/** Makes a signal that aborts with the given signal, or with a TimeoutError after this time. */
export function timeLimit(ms: number, signal?: AbortSignal): TimeLimit {
  const controller = new AbortController();
  const follow = () => controller.abort(signal?.reason);
  const begin = (limitMs: number) => {
    const expire = () => {
      const message = `The store did not answer within ${limitMs / 1000} s.`;
      controller.abort(new DOMException(message, 'TimeoutError'));
    };
    return setTimeout(expire, Math.min(limitMs, longestMs));
  };
  let timer = begin(ms);
  signal?.addEventListener('abort', follow);
  if (signal?.aborted) follow();
  return {
    signal: controller.signal,
    renew(nextMs) {
      clearTimeout(timer);
      timer = begin(nextMs);
    },
    end() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', follow);
      controller.abort();
    },
  };
}

/** Waits; rejects with the signal's reason. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', stop);
        resolve();
      },
      Math.min(ms, longestMs),
    );
    signal?.addEventListener('abort', stop, { once: true });
    if (signal?.aborted) stop();
  });
}
