import { hourMs } from '@store/shared/values/time';

export type ApiKeyUses = ReturnType<typeof createApiKeyUses>;

/**
 * Keeps which API keys were used in an hour, until that is stored: a token check writes nothing, and a key costs each replica one
 * write an hour.
 */
export function createApiKeyUses(store: (ids: string[]) => Promise<void>, clock: () => number = Date.now) {
  let hour = 0;
  /** Used in this hour. */
  const noted = new Set<string>();
  const waiting = new Set<string>();

  return {
    note(id: string): void {
      const now = Math.floor(clock() / hourMs);
      if (now !== hour) {
        hour = now;
        noted.clear();
      }
      if (noted.has(id)) return;
      noted.add(id);
      waiting.add(id);
    },
    /** Keeps what cannot be stored for the next time. */
    async flush(): Promise<void> {
      if (waiting.size === 0) return;
      const ids = [...waiting].slice(0, 1_000);
      await store(ids);
      for (const id of ids) waiting.delete(id);
    },
  };
}
