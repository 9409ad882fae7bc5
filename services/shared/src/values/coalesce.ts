import { sleep, within } from './time.ts';

/** The next run starts when the current one ends, or after this time, so that a hung run does not block later ones. */
const nextRunAfterMs = 10;

/**
 * Lets calls share runs of `work`: calls that arrive during a run share the next one. Every call gets the result of a run
 * that began after the call, so the result is never stale. If a run fails, only the calls that share it fail.
 * A run belongs to the trace of the first call that shares it.
 * @param work takes the items of all calls, in their order
 * @param gatherMs how long the first call of a run waits for others
 */
export function coalesce<Item, Result>(
  work: (items: Items<Item>) => Promise<Result>,
  gatherMs = 0,
): (item: Item) => Promise<Result> {
  /** Settles once the next run may begin. */
  let over: Promise<unknown> = Promise.resolve();
  let next: { items: Items<Item>; result: Promise<Result> } | undefined;

  function gather(first: Item) {
    const items: Items<Item> = [first];
    const gathered = gatherMs > 0 ? over.then(() => sleep(gatherMs)) : over;
    const result = gathered.then(() => {
      next = undefined;
      const run = work(items);
      over = within(nextRunAfterMs, run).catch(() => undefined);
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
