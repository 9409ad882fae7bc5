import { hourMs } from '@store/shared/values/time';

export type ApiKeyUses = ReturnType<typeof createApiKeyUses>;

/**
 * Collects which API keys were used in the current hour, for a job to store. So a token check writes nothing, and each key costs each
 * replica one write per hour.
 */
export function createApiKeyUses(store: (ids: string[]) => Promise<void>, clock: () => number = Date.now) {
  let hour = 0;
  /** Keys used in this hour. */
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
    /** Stores up to 1,000 uses. If that fails, the next call tries them again. */
    async flush(): Promise<void> {
      if (waiting.size === 0) return;
      const ids = [...waiting].slice(0, 1_000);
      await store(ids);
      for (const id of ids) waiting.delete(id);
    },
  };
}
