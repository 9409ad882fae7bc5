import { useEffect, useState } from 'preact/hooks';

interface State<T> {
  items: readonly T[];
  /** True while they are from the previous list, which stays until the new one has been read. */
  isOld: boolean;
  /** True if there may be more. */
  more: boolean;
  busy: boolean;
  error: unknown;
}

export interface Endless<T> extends State<T> {
  next(): Promise<void>;
}

/** Starts to read a list's pages. */
type Open<T> = (signal: AbortSignal) => AsyncIterator<readonly T[]>;

/** A list being read, shown or not. */
interface List<T> extends Pick<Endless<T>, 'next'> {
  key: string;
  state: State<T>;
  show(state: State<T>): void;
  stop(): void;
}

const nothingYet = { items: [], isOld: false, more: true, busy: true, error: undefined };

/** The latest list of each name, so that a page finds it as it was left. */
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
        // A generator that has thrown is finished, so start again from the first page.
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
 * A list that grows page by page. It reads the first page at once.
 * @param open starts to read
 * @param pageSize a shorter page is the last
 * @param of identifies the content: a change starts a new list
 * @param since a change reads the list again
 * @param keptAs name under which the list is kept and found again as it was left
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
