import { createStore } from '@store-platform/client';

/** Empty: the origin of this page. */
const url = import.meta.env.VITE_STORE_URL ?? 'http://localhost:8080';
/** After that the customer gets a sentence, and may try again. */
const patienceMs = 10_000;

export const store = createStore({ url, attemptTimeoutMs: patienceMs, timeoutMs: patienceMs });
