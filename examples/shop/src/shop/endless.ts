import { useEffect, useState } from 'preact/hooks';

interface State<T> {
  items: readonly T[];
  /** True if they are those of the list before, which stay until the new one is there. */
  isOld: boolean;
  /** True if there may be more. */
  more: boolean;
  busy: boolean;
  error: unknown;
}

export interface Endless<T> extends State<T> {
  next(): Promise<void>;
}

/** Begins to read a list's pages. */
type Open<T> = (signal: AbortSignal) => AsyncIterator<readonly T[]>;

/** A list that is being read, whether it is shown or not. */
interface List<T> extends Pick<Endless<T>, 'next'> {
  key: string;
  state: State<T>;
  show(state: State<T>): void;
  stop(): void;
}

const nothingYet = { items: [], isOld: false, more: true, busy: true, error: undefined };

/** By name: the latest of each is found as it was left. */
const keptLists = new Map<string, List<unknown>>();

function readList<T>(open: Open<T>, pageSize: number, key: string, before: List<T> | undefined): List<T> {
  const stop = new AbortController();
  const { signal } = stop;
  let pages = open(signal);
  let isFirst = true;
  const list: List<T> = {
    key,
    state: { ...nothingYet, items: before?.state.items ?? [], isOld: before !== undefined, busy: false },
    show: () => undefined,
    stop: () => stop.abort(),
    async next() {
      if (list.state.busy) return;
      change({ busy: true, error: undefined });
      try {
        const { value = [], done } = await pages.next();
        const items = isFirst ? value : [...list.state.items, ...value];
        isFirst = false;
        change({ items, isOld: false, more: !done && value.length >= pageSize, busy: false });
      } catch (error) {
        // A generator that has thrown is at its end: the list is read from its beginning again.
        pages = open(signal);
        isFirst = true;
        change({ more: true, busy: false, error });
      }
    },
  };
  function change(to: Partial<State<T>>): void {
    if (signal.aborted) return;
    list.state = { ...list.state, ...to };
    list.show(list.state);
  }
  return list;
}

/**
 * A list that grows page by page. The first page is read at once.
 * @param open begins to read
 * @param pageSize a shorter page is the last one
 * @param of what is listed: when it changes, another list begins
 * @param since when it changes, the list is read again
 * @param keptAs a name under which the list is found as it was left
 */
export function useEndless<T>(open: Open<T>, pageSize: number, { of = '', since = 0, keptAs = '' } = {}): Endless<T> {
  const key = JSON.stringify([of, since]);
  const kept = () => keptLists.get(keptAs) as List<T> | undefined;
  const [list, setList] = useState(() => (kept()?.key === key ? kept() : undefined));
  const [state, setState] = useState<State<T>>(list?.state ?? nothingYet);

  useEffect(() => {
    const current = list?.key === key ? list : readList(open, pageSize, key, list);
    if (current !== list || current.state.error) void current.next();
    if (keptAs && current !== kept()) {
      kept()?.stop();
      keptLists.set(keptAs, current as List<unknown>);
    }
    current.show = setState;
    setList(current);
    setState(current.state);
    return () => {
      current.show = () => undefined;
      if (!keptAs) current.stop();
    };
  }, [key]);

  return { ...state, next: async () => list?.next() };
}
