import type { Product } from '@store-platform/client';
import { useEffect, useState } from 'preact/hooks';
import { keep, kept } from './kept.ts';

export interface Line extends Product {
  quantity: number;
}

export interface Basket {
  lines: readonly Line[];
  /** Pieces of all products. */
  count: number;
  quantityOf(productId: string): number;
  /** 0 removes the product. */
  set(product: Product, quantity: number): void;
  /** Takes names and prices over as they are now, and removes what is not sold any more. */
  renew(products: readonly Product[]): void;
  clear(): void;
}

const name = 'shop.basket';
/** Of an item of an order (contract 4.5). */
export const largestQuantity = 10_000;

/** The basket of this browser, the same in all its tabs. */
export function useBasket(): Basket {
  const [lines, setLines] = useState<readonly Line[]>(() => kept(name, []));

  useEffect(() => {
    const follow = (event: StorageEvent) => event.key === name && setLines(kept(name, []));
    addEventListener('storage', follow);
    return () => removeEventListener('storage', follow);
  }, []);

  function change(to: (lines: readonly Line[]) => readonly Line[]): void {
    const changed = to(kept(name, []));
    keep(name, changed);
    setLines(changed);
  }

  return {
    lines,
    count: lines.reduce((sum, { quantity }) => sum + quantity, 0),
    quantityOf: (productId) => lines.find(({ id }) => id === productId)?.quantity ?? 0,
    set: (product, wanted) =>
      change((lines) => {
        const quantity = Math.min(Math.max(Math.round(wanted), 0), largestQuantity);
        if (quantity === 0) return lines.filter(({ id }) => id !== product.id);
        if (!lines.some(({ id }) => id === product.id)) return [...lines, { ...product, quantity }];
        return lines.map((line) => (line.id === product.id ? { ...line, quantity } : line));
      }),
    renew: (products) =>
      change((lines) => {
        const current = new Map(products.map((product) => [product.id, product]));
        return lines.flatMap((line) => {
          const product = current.get(line.id);
          return product ? [{ ...product, quantity: line.quantity }] : [];
        });
      }),
    clear: () => change(() => []),
  };
}
