import type { Product } from '@store-platform/client';
import { useEffect, useState } from 'preact/hooks';
import { useLookAgain } from './look-again.ts';
import { store } from './store.ts';

/** Shown prices and stock are at most this old while the page is visible. */
const renewedEveryMs = 60_000;
/** The most products that the store lists at once (contract 5). */
const maxIds = 100;

/** Returns a number that grows when the page has to read its data again. @param first 1 if the data may already be old */
export function useLooks(first: 0 | 1 = 0): number {
  const [looks, setLooks] = useState<number>(first);
  useLookAgain(true, () => setLooks((before) => before + 1), renewedEveryMs);
  return looks;
}

/** Products with current values, or earlier values if the store does not answer. Products that are no longer sold are left out. */
export function useRenewed(products: readonly Product[], looks: number): readonly Product[] {
  const [renewed, setRenewed] = useState<ReadonlyMap<string, Product | undefined>>(new Map());
  useEffect(() => {
    if (looks === 0) return; // the products have just been read
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

/** @returns undefined for products that are no longer sold */
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
