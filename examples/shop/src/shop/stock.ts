import { useEffect, useRef, useState } from 'preact/hooks';
import { store } from './store.ts';

/** The most that the store tells at once (contract 4.9). */
const maxIds = 100;
/** Fewer pieces than this are worth a word. */
const fewPieces = 10;

/** Asks once how many pieces of each product can still be ordered: nobody waits for it, and it is asked again before long. */
export async function readStock(ids: readonly string[], signal?: AbortSignal): Promise<ReadonlyMap<string, number>> {
  const stock = new Map<string, number>();
  const once = { signal, attempts: 1 };
  for (let from = 0; from < ids.length; from += maxIds) {
    const found = await store.listAvailability({ query: { id: ids.slice(from, from + maxIds) } }, once);
    for (const { productId, available } of found) stock.set(productId, available);
  }
  return stock;
}

/**
 * Pieces that can still be ordered, by product; what was known last, or nothing, where the store does not tell: the page is of use without it.
 * @param looks when it grows, all are asked for again
 */
export function useStock(ids: readonly string[], looks = 0): ReadonlyMap<string, number> {
  const [stock, setStock] = useState<ReadonlyMap<string, number>>(new Map());
  const looked = useRef(looks);
  const wanted = looks === looked.current ? ids.filter((id) => !stock.has(id)) : ids;
  useEffect(() => {
    if (wanted.length === 0) return;
    const stop = new AbortController();
    readStock(wanted, stop.signal).then(
      (found) => {
        looked.current = looks;
        setStock((known) => new Map([...known, ...found]));
      },
      () => undefined,
    );
    return () => stop.abort();
  }, [wanted.join(), looks]);
  return stock;
}

/** Says how little is left, if it is little. */
export function leftOf(pieces: number | undefined): string | undefined {
  if (pieces === undefined || pieces >= fewPieces) return undefined;
  return pieces === 0 ? 'Sold out' : `${pieces} left`;
}
