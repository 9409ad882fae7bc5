import { useEffect, useRef, useState } from 'preact/hooks';
import { store } from './store.ts';

/** The most products that the store answers for at once (contract 4.9). */
const maxIds = 100;
/** Fewer pieces than this are mentioned. */
const fewPieces = 10;

/** Asks how many pieces of each product can still be ordered. It does not retry: no page needs it, and it is soon called again. */
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
 * Pieces that can still be ordered, by product. If the store does not answer, the last known numbers or none: the page works without.
 * @param looks when it grows, the stock of all products is read again
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

/** Says how many pieces are left, if they are few. */
export function leftOf(pieces: number | undefined): string | undefined {
  if (pieces === undefined || pieces >= fewPieces) return undefined;
  return pieces === 0 ? 'Sold out' : `${pieces} left`;
}
