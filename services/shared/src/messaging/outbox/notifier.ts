export type Notifier = ReturnType<typeof createNotifier>;

/** Remembers a notification that arrives while nobody waits, so that no event is left until the next poll. */
export function createNotifier(signal: AbortSignal) {
  let isNotified = false;
  let wake = () => {};
  const notify = () => {
    isNotified = true;
    wake();
  };
  signal.addEventListener('abort', notify);
  return {
    notify,
    /** @returns false if nobody notified within that time */
    async notified(timeoutMs: number): Promise<boolean> {
      if (!isNotified) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, timeoutMs);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      const wasNotified = isNotified;
      isNotified = false;
      return wasNotified;
    },
  };
}
