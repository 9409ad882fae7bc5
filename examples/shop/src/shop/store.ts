import { createStore } from '@store-platform/client';

/** After that the customer gets a sentence, and may try again. */
const patienceMs = 10_000;

export const store = createStore({
  url: import.meta.env.VITE_STORE_URL,
  attemptTimeoutMs: patienceMs,
  timeoutMs: patienceMs,
});

// Addresses that a browser follows: an invoice is a page, an export a file.
const { VITE_STORE_URL: url } = import.meta.env;
export const invoiceUrl = (orderId: string): string => `${url}/orders/${orderId}/invoice`;
export const exportUrl = (accountId: string): string => `${url}/accounts/${accountId}/export`;
