import { QueryClient } from '@tanstack/preact-query';

/**
 * Caches answers of the console's server and repeats requests while the page is visible. After a failure the last answer stays next to
 * the problem, and the next regular request is the retry.
 */
export const queries = new QueryClient({
  defaultOptions: {
    // A forwarded port answers even without a network.
    queries: { networkMode: 'always', retry: false, refetchInterval: 5_000 },
    mutations: { networkMode: 'always', retry: false },
  },
});

/** Requests these again wherever they are shown. @returns when the answers have come */
export const renew = (...names: string[]) =>
  Promise.all(names.map((name) => queries.invalidateQueries({ queryKey: [name] })));
