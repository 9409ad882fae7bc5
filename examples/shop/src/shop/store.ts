import { createStore, StoreProblem } from '@store-platform/client';

/** After this time the customer gets a message and may try again. */
const giveUpAfterMs = 10_000;

export const store = createStore({
  url: import.meta.env.VITE_STORE_URL,
  attemptTimeoutMs: giveUpAfterMs,
  timeoutMs: giveUpAfterMs,
});

/** The longest time that the store takes for an export (contract 4.3). */
const exportMs = 300_000;

/**
 * Reads everything that the store keeps about an account, with its bytes unchanged, to save it in a file.
 * @throws StoreProblem, or the error of fetch, also if the reply breaks off
 */
export async function readExport(accountId: string): Promise<Blob> {
  const response = await fetch(`${import.meta.env.VITE_STORE_URL}/accounts/${accountId}/export`, {
    credentials: 'include',
    signal: AbortSignal.timeout(exportMs),
  });
  if (response.ok) return response.blob();
  throw new StoreProblem(await response.json().catch(() => ({})), response);
}
