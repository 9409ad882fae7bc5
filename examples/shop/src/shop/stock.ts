import { useEffect, useState } from 'preact/hooks';
import { store } from './store.ts';

/** The most that the store tells at once (contract 4.9). */
const maxIds = 100;
/** Fewer pieces than this are worth a word. */
const fewPieces = 10;

/** Pieces that can still be ordered, by product; nothing where the store does not tell, since the page is of use without it. */
export function useStock(ids: readonly string[]): ReadonlyMap<string, number> {
  const [stock, setStock] = useState<ReadonlyMap<string, number>>(new Map());
  const unknown = ids.filter((id) => !stock.has(id)).slice(0, maxIds);
  useEffect(() => {
    if (unknown.length === 0) return;
    const stop = new AbortController();
    store.listAvailability({ query: { id: unknown } }, { signal: stop.signal }).then(
      (found) =>
        setStock((known) => new Map([...known, ...found.map((one) => [one.productId, one.available] as const)])),
      () => undefined,
    );
    return () => stop.abort();
  }, [unknown.join()]);
  return stock;
}

/** Says how little is left, if it is little. */
export function leftOf(pieces: number | undefined): string | undefined {
  if (pieces === undefined || pieces >= fewPieces) return undefined;
  return pieces === 0 ? 'Sold out' : `${pieces} left`;
}
