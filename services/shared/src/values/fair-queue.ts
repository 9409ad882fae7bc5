interface Options {
  concurrency: number;
  /** How many of these only a key with nothing running may use; default 0. With 0, the first caller can occupy all of them. */
  spare?: number;
  /** A key whose work took longer, in ms, gets one place at a time for the next 10 s, which leaves CPU to others; default Infinity. */
  slowMs?: number;
  /** How many may wait, beside those that run. */
  waiting: number;
  /** Work that has waited longer, in ms, is refused when its turn comes. */
  maxWaitMs?: number;
  /** Makes the error for refused work. */
  refusal: () => Error;
}

interface Place {
  keys: string[];
  /** The turn that each key reaches with this place. */
  turns: Map<string, number>;
  /** The last of these turns, in which the place is due. */
  due: number;
  start(): void;
  refuse(error: Error): void;
}

const slowForMs = 10_000;

/**
 * Runs work in turns: each key has one place per turn, so a caller with much work delays only itself (start-time fair queueing).
 * When too many wait, the place that is due last is refused, even if it did not arrive last.
 */
export function createFairQueue({
  concurrency,
  spare = 0,
  slowMs = Infinity,
  waiting: maxWaiting,
  maxWaitMs = Infinity,
  refusal,
}: Options) {
  const places: Place[] = [];
  let running = 0;
  /** How many pieces of work of each key are running. */
  const runningOf = new Map<string, number>();
  /** The time until which a key counts as slow, in ascending order. */
  const slowUntil = new Map<string, number>();
  let turn = 0;

  const isSlow = (key: string) => (slowUntil.get(key) ?? 0) > performance.now();

  function mayStart(keys: string[]): boolean {
    if (running >= concurrency) return false;
    const busy = keys.filter((key) => runningOf.has(key));
    return busy.length === 0 || (running < concurrency - spare && !busy.some(isSlow));
  }

  function noteSlow(keys: string[]): void {
    const now = performance.now();
    for (const [key, until] of slowUntil) {
      if (until > now) break;
      slowUntil.delete(key);
    }
    for (const key of keys) {
      slowUntil.delete(key);
      slowUntil.set(key, now + slowForMs);
    }
  }

  function enter(keys: string[]): void {
    running += 1;
    for (const key of keys) runningOf.set(key, (runningOf.get(key) ?? 0) + 1);
  }

  function leave(keys: string[]): void {
    running -= 1;
    for (const key of keys) {
      const others = (runningOf.get(key) ?? 0) - 1;
      if (others > 0) runningOf.set(key, others);
      else runningOf.delete(key);
    }
  }

  /** Counts only places that wait under this key: a place with two keys must not make one key wait for the other. */
  const turnOf = (key: string) => Math.max(turn, ...places.map(({ turns }) => (turns.get(key) ?? -1) + 1));

  function remove(place: Place): Place {
    places.splice(places.indexOf(place), 1);
    return place;
  }

  const queued = (keys: string[]) =>
    new Promise<void>((start, refuse) => {
      const turns = new Map(keys.map((key) => [key, turnOf(key)]));
      places.push({ keys, turns, due: Math.max(turn, ...turns.values()), start, refuse });
      if (places.length <= maxWaiting) return;
      remove(places.reduce((last, place) => (place.due >= last.due ? place : last))).refuse(refusal());
    });

  /** Starts every place that may start. There can be several when a key no longer counts as slow. */
  function startNext(): void {
    for (;;) {
      const [first, ...others] = places.filter(({ keys }) => mayStart(keys));
      if (first === undefined) return;
      const next = remove(others.reduce((soonest, place) => (place.due < soonest.due ? place : soonest), first));
      // A newcomer may have overtaken places of an earlier turn, to which the queue does not go back.
      turn = Math.max(turn, next.due);
      enter(next.keys);
      next.start();
    }
  }

  return {
    /**
     * @param keys who the work is charged to, such as a client and an account
     * @throws the refusal if too many wait and this work is due last, or if it has waited too long
     */
    async run<T>(keys: string[], work: () => Promise<T>): Promise<T> {
      const since = performance.now();
      if (mayStart(keys)) enter(keys);
      else await queued(keys);
      try {
        const startedAt = performance.now();
        if (startedAt - since > maxWaitMs) throw refusal();
        try {
          return await work();
        } finally {
          if (performance.now() - startedAt > slowMs) noteSlow(keys);
        }
      } finally {
        leave(keys);
        startNext();
      }
    },
  };
}
