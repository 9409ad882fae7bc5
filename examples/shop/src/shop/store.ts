import { createStore, StoreProblem } from '@store-platform/client';

/** After that the customer gets a sentence, and may try again. */
const giveUpAfterMs = 10_000;

export const store = createStore({
  url: import.meta.env.VITE_STORE_URL,
  attemptTimeoutMs: giveUpAfterMs,
  timeoutMs: giveUpAfterMs,
});

/** As long as the store takes for one at most (contract 4.3). */
const exportMs = 300_000;

/**
 * Reads everything that the store keeps about an account, byte by byte as it comes, for a file.
 * @throws StoreProblem, or what fetch rejects with, also where the store breaks off
 */
export async function readExport(accountId: string): Promise<Blob> {
  const response = await fetch(`${import.meta.env.VITE_STORE_URL}/accounts/${accountId}/export`, {
    credentials: 'include',
    signal: AbortSignal.timeout(exportMs),
  });
  if (response.ok) return response.blob();
  throw new StoreProblem(await response.json().catch(() => ({})), response);
}
