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
 * @param open begins to read; it is called again when `of` changes
 * @param pageSize a shorter page is the last one
 */
export function useEndless<T>(
  open: (signal: AbortSignal) => AsyncIterator<readonly T[]>,
  pageSize: number,
  of = '',
): Endless<T> {
  const reading = useRef<{
    pages: AsyncIterator<readonly T[]>;
    stop: AbortController;
    busy: boolean;
    again?: boolean;
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
      const before = current.again ? [] : undefined;
      current.again = false;
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
      current.again = true;
      setState(({ items }) => ({ items, more: true, busy: false, error }));
    } finally {
      current.busy = false;
    }
  }

  useEffect(() => {
    const stop = new AbortController();
    reading.current = { pages: open(stop.signal), stop, busy: false };
    setState({ items: [], more: true, busy: true, error: undefined });
    void next();
    return () => stop.abort();
  }, [of]);

  return { ...state, next };
}
