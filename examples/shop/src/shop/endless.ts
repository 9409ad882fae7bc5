import { useEffect, useRef, useState } from 'preact/hooks';

export interface Endless<T> {
  items: readonly T[];
  /** Whether there may be more. */
  more: boolean;
  busy: boolean;
  error: unknown;
  next(): Promise<void>;
}

/**
 * A list that grows page by page. The first page is read at once.
 * @param open begins to read
 * @param pageSize a shorter page is the last one
 * @param of what is listed: when it changes, another list begins
 * @param since when it changes, the list is read again; what it has stays until then
 */
export function useEndless<T>(
  open: (signal: AbortSignal) => AsyncIterator<readonly T[]>,
  pageSize: number,
  { of = '', since = 0 } = {},
): Endless<T> {
  const reading = useRef<{
    pages: AsyncIterator<readonly T[]>;
    stop: AbortController;
    busy: boolean;
    isFirst: boolean;
  }>(undefined);
  const [state, setState] = useState({
    items: [] as readonly T[],
    more: true,
    busy: true,
    error: undefined as unknown,
  });

  async function next(): Promise<void> {
    const current = reading.current;
    if (!current || current.busy) return;
    current.busy = true;
    setState((before) => ({ ...before, busy: true, error: undefined }));
    try {
      const { value, done } = await current.pages.next();
      if (current.stop.signal.aborted) return;
      const before = current.isFirst ? [] : undefined;
      current.isFirst = false;
      setState(({ items }) => ({
        items: [...(before ?? items), ...(value ?? [])],
        more: !done && value.length >= pageSize,
        busy: false,
        error: undefined,
      }));
    } catch (error) {
      if (current.stop.signal.aborted) return;
      // A generator that has thrown is at its end: the list is read from its beginning again.
      current.pages = open(current.stop.signal);
      current.isFirst = true;
      setState(({ items }) => ({ items, more: true, busy: false, error }));
    } finally {
      current.busy = false;
    }
  }

  useEffect(() => setState({ items: [], more: true, busy: true, error: undefined }), [of]);
  useEffect(() => {
    const stop = new AbortController();
    reading.current = { pages: open(stop.signal), stop, busy: false, isFirst: true };
    void next();
    return () => stop.abort();
  }, [of, since]);

  return { ...state, next };
}
