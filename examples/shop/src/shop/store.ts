import { createStore } from '@store-platform/client';

/** Empty: the origin of this page. */
export const store = createStore({ url: import.meta.env.VITE_STORE_URL ?? 'http://localhost:8080' });
