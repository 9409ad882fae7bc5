import type { Product } from '@store-platform/client';
import { useEffect, useState } from 'preact/hooks';
import { useLookAgain } from './look-again.ts';
import { store } from './store.ts';

/** Prices and stock that are shown are at most as old as this while the page is looked at. */
const renewedEveryMs = 60_000;
/** The most that the store lists at once (contract 5). */
const maxIds = 100;

/** Returns a number that grows when what is shown is to be read again. @param first 1 where it may be old from the beginning */
export function useLooks(first: 0 | 1 = 0): number {
  const [looks, setLooks] = useState<number>(first);
  useLookAgain(true, () => setLooks((before) => before + 1), renewedEveryMs);
  return looks;
}

/** Products as they are now; as they were where the store does not tell. Without those that are not sold any more. */
export function useRenewed(products: readonly Product[], looks: number): readonly Product[] {
  const [renewed, setRenewed] = useState<ReadonlyMap<string, Product | undefined>>(new Map());
  useEffect(() => {
    if (looks === 0) return; // what has just been read
    const stop = new AbortController();
    const ids = products.map(({ id }) => id);
    readProducts(ids, stop.signal).then(setRenewed, () => undefined);
    return () => stop.abort();
  }, [looks]);
  return products.flatMap((product) => {
    if (!renewed.has(product.id)) return [product];
    const current = renewed.get(product.id);
    if (!current) return [];
    // The list may have been read again since then.
    return [current.version > product.version ? current : product];
  });
}

/** @returns undefined for those that are not sold any more */
async function readProducts(
  ids: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Product | undefined>> {
  const found = new Map<string, Product | undefined>(ids.map((id) => [id, undefined]));
  for (let from = 0; from < ids.length; from += maxIds) {
    const query = { id: ids.slice(from, from + maxIds), size: maxIds };
    for (const product of await store.listProducts({ query }, { signal })) found.set(product.id, product);
  }
  return found;
}
