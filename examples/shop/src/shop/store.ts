import { createStore } from '@store-platform/client';

/** After that the customer gets a sentence, and may try again. */
const patienceMs = 10_000;

export const store = createStore({
  url: import.meta.env.VITE_STORE_URL,
  attemptTimeoutMs: patienceMs,
  timeoutMs: patienceMs,
});

/** Makes the address of an invoice, which a browser gets as a page. */
export const invoiceUrl = (orderId: string): string => `${import.meta.env.VITE_STORE_URL}/orders/${orderId}/invoice`;
