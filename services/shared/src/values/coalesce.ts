import { within } from './time.ts';

/** How long calls wait for a run, so that one without an answer does not hold up all that follow. */
const patienceMs = 10;

/**
 * Lets calls share runs of `work`: while one is under way, further calls gather for the next. Every call gets the result
 * of a run that began after it, never of one that may have looked before. A run fails the calls that share it, alone.
 * Its trace is that of the first of them.
 * @param work takes the items of all calls, in their order
 */
export function coalesce<Item, Result>(work: (items: Items<Item>) => Promise<Result>): (item: Item) => Promise<Result> {
  /** Settles once the next run may begin. */
  let over: Promise<unknown> = Promise.resolve();
  let next: { items: Items<Item>; result: Promise<Result> } | undefined;

  function gather(first: Item) {
    const items: Items<Item> = [first];
    const result = over.then(() => {
      next = undefined;
      const run = work(items);
      over = within(patienceMs, run).catch(() => undefined);
      return run;
    });
    return { items, result };
  }

  return (item) => {
    if (next === undefined) next = gather(item);
    else next.items.push(item);
    return next.result;
  };
}

type Items<Item> = [Item, ...Item[]];
