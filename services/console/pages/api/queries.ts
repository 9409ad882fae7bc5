import { QueryClient } from '@tanstack/preact-query';

/**
 * Answers of the console's server, and what is asked for again and again while somebody can see the page. After a failure the last
 * answer stays, beside the problem, and the next question is the repetition.
 */
export const queries = new QueryClient({
  defaultOptions: {
    // A port that is forwarded answers without a network, too.
    queries: { networkMode: 'always', retry: false, refetchInterval: 5_000 },
    mutations: { networkMode: 'always', retry: false },
  },
});

/** Asks for these anew, wherever they are shown. @returns once they have been answered */
export const renew = (...names: string[]) =>
  Promise.all(names.map((name) => queries.invalidateQueries({ queryKey: [name] })));
